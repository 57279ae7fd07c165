const THEMES = [
  { theme: "", name: "System" },
  { theme: "light", name: "Light" },
  { theme: "dark", name: "Dark" },
];

/** Chooses the theme (scripts/frame.ts); without scripts the system does, and it is hidden. */
export function ThemeSwitch() {
  return (
    <div class="switch theme-switch" role="group" aria-label="Theme">
      {THEMES.map(({ theme, name }) => (
        <button key={theme} type="button" data-theme-choice={theme} aria-pressed={theme === ""}>
          {name}
        </button>
      ))}
    </div>
  );
}
