import type { Key } from "../lib/text/message_keys.ts";
import { CopyForEmail } from "./copy_buttons.tsx";
import { Icon, Menu } from "./switch.tsx";
import { say } from "../lib/text/say.ts";

interface ShareMenuProps {
  /** The address of what can be pasted into an email; absent: there is nothing. */
  copy?: string;
  /** Of the site. */
  path: string;
  links: readonly (readonly [place: string, words: Key])[];
  /** What they hold of the roadmap. */
  query: string;
}

/** What takes a list elsewhere. */
export function ShareMenu({ copy, path, links, query }: ShareMenuProps) {
  const button = (
    <>
      <Icon path="M8 10V2M5 5l3-3 3 3M3 8v6h10V8" /> <span class="wide">{say("share.share")}</span>
    </>
  );
  return (
    <Menu name="share" button={button}>
      <ul>
        {copy && (
          <li key="">
            <CopyForEmail address={copy} />
          </li>
        )}
        {links.map(([place, words]) => (
          <li key={place}>
            <a href={path + place + query} rel="nofollow">{say(words)}</a>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
