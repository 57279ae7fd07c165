import { CadenceField } from "../../../islands/subscribe/preference_fields.tsx";
import { listCadences } from "../../delivery/subscriptions/preferences_in_words.ts";
import type { Item } from "../../roadmap/item.ts";
import type { SiteFrame } from "../site_frame.ts";

/** Asks to be told of this release; a plain form, which needs no script. */
export function WatchForm({ item, frame: { services: { config }, site } }: {
  item: Item;
  frame: SiteFrame;
}) {
  return (
    <details class="watch">
      <summary>Watch this release</summary>
      <form class="subscribe-form" method="post" action={`${site.path}/subscribe`}>
        <input type="hidden" name="releases" value={item.release_item_id} />
        <div class="field">
          <label for="watch-email">Email address</label>
          <input
            id="watch-email"
            name="email"
            type="email"
            required
            maxLength={254}
            autocomplete="email"
          />
          <p class="hint">We'll send you a link to confirm.</p>
        </div>
        <CadenceField cadences={listCadences(config.digestTimes)} cadence="immediate" />
        <button type="submit">Watch</button>
      </form>
    </details>
  );
}
