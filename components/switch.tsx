import type { ComponentChildren } from "preact";
import { Changing } from "./changing.tsx";
import { language, say } from "../lib/text/say.ts";

/** One of several states of a page, with its address. */
export interface SwitchChoice {
  words: string;
  /** The attributes of its link. */
  link: { href: string; rel?: string; onClick?(event: MouseEvent): void };
  isCurrent: boolean;
  /** How many there are. */
  count?: number;
  /** The path of what a narrow window shows instead of the words. */
  icon?: string;
}

interface SwitchProps {
  /** What is chosen. */
  label: string;
  choices: readonly SwitchChoice[];
}

/** Links to the states of a page beside each other, of which one is current. */
export function Switch(
  { label, choices, children }: SwitchProps & { children?: ComponentChildren },
) {
  return (
    <nav class="switch" aria-label={label}>
      {choices.map(linkTo)}
      {children}
    </nav>
  );
}

function linkTo({ words, link, isCurrent, icon, count }: SwitchChoice) {
  return (
    <a key={words} {...link} aria-current={isCurrent ? "true" : undefined}>
      {icon && <Icon path={icon} />} <span class={icon ? "wide" : undefined}>{words}</span>{" "}
      {count !== undefined && <span class="quiet">{language().numbers.format(count)}</span>}
    </a>
  );
}

/** The same below a button that says which one is current. */
export function SwitchMenu({ label, choices }: SwitchProps) {
  const current = choices.find(({ isCurrent }) => isCurrent);
  return (
    <Menu name="choice" button={<Chosen label={label} words={current?.words ?? ""} />}>
      <Choices choices={choices} />
    </Menu>
  );
}

/** What a menu lists. */
export function Choices({ choices }: Pick<SwitchProps, "choices">) {
  return <ul>{choices.map((choice) => <li key={choice.words}>{linkTo(choice)}</li>)}</ul>;
}

function Chosen({ label, words }: { label: string; words: string }) {
  return (
    <>
      <span class="visually-hidden">{say("choice.label", { name: label })}</span>{" "}
      <Changing text={words} />
    </>
  );
}

/** What opens below a button, and closes when something of it was chosen (scripts/frame.ts). */
export function Menu({ name, button, children }: {
  name: string;
  button: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <details class={`menu ${name}`} tabIndex={-1}>
      <summary>{button}</summary>
      {children}
    </details>
  );
}

/** A drawing of lines, 16 pixels wide. */
export function Icon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
