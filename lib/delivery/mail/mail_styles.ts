import type { MailTone } from "./mail_content.ts";

/** The colours of mails, which are those of the pages (static/styles/tokens.css). */
const COLOURS = {
  ground: { light: "#fbfaf8", dark: "#151718" },
  surface: { light: "#ffffff", dark: "#1d2021" },
  line: { light: "#e3dfd7", dark: "#343a3b" },
  ink: { light: "#22211e", dark: "#ebe9e4" },
  quiet: { light: "#625e56", dark: "#a9aaa5" },
  accent: { light: "#0f5c5c", dark: "#7fcfc6" },
  on: { light: "#ffffff", dark: "#0e2625" },
  red: { light: "#a02c2c", dark: "#f3a8a2" },
  redsoft: { light: "#fae3e1", dark: "#452321" },
  amber: { light: "#7a4d05", dark: "#efc27a" },
  ambersoft: { light: "#fbecd0", dark: "#3b2d13" },
  blue: { light: "#1f528f", dark: "#9cc5f5" },
  bluesoft: { light: "#e0ebf8", dark: "#1d304a" },
  quietsoft: { light: "#f1efea", dark: "#2a2e2f" },
  green: { light: "#1d6b3a", dark: "#8fd6a6" },
  greensoft: { light: "#dff1e4", dark: "#1c3626" },
} as const;

type Colour = keyof typeof COLOURS;

/** Of each cell; Outlook hands it down to what stands in a cell, but not to a table in it. */
const FONT = "font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif";

/** The class and the inline style of an element: mail programs keep the one, or the other, or both. */
export interface MailStyle {
  class: string;
  style: string;
}

function style(
  { ink, ground, border }: { ink?: Colour; ground?: Colour; border?: Colour },
  rules: string,
): MailStyle {
  const parts = [
    ink && [`i-${ink}`, `color:${COLOURS[ink].light}`],
    ground && [`g-${ground}`, `background-color:${COLOURS[ground].light}`],
    border && [`b-${border}`, `border-color:${COLOURS[border].light}`],
  ].filter((part) => part !== undefined);
  return {
    class: parts.map(([name]) => name).join(" "),
    style: [rules, ...parts.map(([, rule]) => rule)].filter(Boolean).join(";"),
  };
}

/** The elements of mails. */
export const STYLES = {
  body: style({ ink: "ink", ground: "ground" }, "margin:0;padding:0"),
  top: style({}, `${FONT};padding:0 4px 12px`),
  site: style({}, FONT),
  day: style({ ink: "quiet" }, `${FONT};font-size:14px;white-space:nowrap`),
  brand: style({ ink: "ink" }, "font-size:16px;font-weight:700;text-decoration:none"),
  // A plate of its own, which no dark mode recolours: a picture in the background stays as it is.
  logo: plate("vertical-align:middle;margin-right:8px;border:0;padding:3px 5px;border-radius:6px"),
  mark: style(
    { ground: "accent" },
    "display:inline-block;width:20px;height:20px;border-radius:6px;vertical-align:-4px;" +
      "margin-right:8px",
  ),
  card: style(
    { ink: "ink", ground: "surface", border: "line" },
    `${FONT};font-size:16px;line-height:1.5;padding:28px 24px;` +
      "border-width:1px;border-style:solid;border-radius:12px",
  ),
  fragment: style(
    { ink: "ink", ground: "surface" },
    `${FONT};font-size:16px;line-height:1.5;padding:12px;overflow-wrap:anywhere;` +
      "word-break:break-word",
  ),
  heading: style({}, "margin:0 0 8px;font-size:22px;line-height:1.3"),
  paragraph: style({}, "margin:0 0 16px"),
  link: style({ ink: "accent" }, "text-decoration:underline"),
  buttonCell: style({ ground: "accent" }, `${FONT};border-radius:8px`),
  // Outlook draws no padding of a link, but its border.
  button: style(
    { ink: "on", ground: "accent", border: "accent" },
    "display:inline-block;font-size:16px;line-height:1.25;font-weight:600;text-decoration:none;" +
      "border-width:12px 20px;border-style:solid;border-radius:8px",
  ),
  counts: style({}, "margin:0 0 16px;line-height:2"),
  group: style({}, "margin:24px 0 0;font-size:13px;line-height:1.5"),
  item: style(
    { ink: "ink", border: "line" },
    `${FONT};font-size:15px;line-height:1.5;padding:10px 0 12px;` +
      "border-width:0 0 1px;border-style:solid",
  ),
  name: style({ ink: "accent" }, "font-size:16px;font-weight:600;text-decoration:none"),
  story: style({}, "font-size:16px;font-weight:600"),
  details: style({ ink: "quiet" }, "font-size:14px"),
  change: style({}, "padding-top:4px"),
  diff: style(
    { border: "line" },
    "margin-top:6px;padding-left:12px;border-width:0 0 0 3px;border-style:solid",
  ),
  removed: style({ ink: "red", ground: "redsoft" }, "text-decoration:line-through"),
  added: style({ ink: "green", ground: "greensoft" }, "text-decoration:none"),
  foot: style({ ink: "quiet" }, `${FONT};font-size:13px;line-height:1.5;padding:16px 4px 0`),
  footLine: style({}, "margin:0 0 8px"),
  footLink: style({ ink: "quiet" }, "text-decoration:underline"),
} as const;

/** A word in the colour of what happened. */
export const PILLS: Readonly<Record<MailTone, MailStyle>> = {
  green: pill("green", "greensoft"),
  amber: pill("amber", "ambersoft"),
  red: pill("red", "redsoft"),
  blue: pill("blue", "bluesoft"),
  quiet: pill("quiet", "quietsoft"),
};

function pill(ink: Colour, ground: Colour): MailStyle {
  const shape = "display:inline-block;border-radius:99px;padding:2px 10px;font-size:13px;" +
    "line-height:1.3;font-weight:600";
  return style({ ink, ground }, shape);
}

/** A ground that stays white in the dark. */
function plate(rules: string): MailStyle {
  const white = "background-color:#ffffff;background-image:linear-gradient(#ffffff,#ffffff)";
  return { class: "plate", style: `${rules};${white}` };
}

/** The colours in the dark, behind a selector. */
function darkRules({ ink, ground }: { ink: string; ground: string }): string {
  return Object.entries(COLOURS).map(([name, { dark }]) =>
    `${ink}.i-${name}{color:${dark}!important}` +
    `${ground}.g-${name}{background-color:${dark}!important}` +
    `${ground}.b-${name}{border-color:${dark}!important}`
  ).join("") + `${ground}.plate{background-color:#ffffff!important}`;
}

/**
 * What stands in the head: the colours in the dark, where the mail program uses them. Outlook.com marks
 * what it recolours by attributes: `data-ogsc` texts, `data-ogsb` grounds.
 */
export const STYLE_SHEET = `:root{color-scheme:light dark;supported-color-schemes:light dark}` +
  `td,p,h1,h2,a{overflow-wrap:anywhere;word-break:break-word}` +
  `@media (max-width:480px){.g-surface{padding:20px 16px!important}}` +
  `@media (prefers-color-scheme:dark){${darkRules({ ink: "", ground: "" })}}` +
  darkRules({ ink: "[data-ogsc] ", ground: "[data-ogsb] " });
