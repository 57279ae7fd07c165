/** The id of the form of the page that searches. */
const SEARCH_FORM = "search-form";

interface SearchFieldProps {
  /** Of the site, as in `/b` */
  path: string;
  /** The words that are searched for, where the page has a form of filters which they belong to. */
  searched: string | undefined;
}

/** The search in the header: it leads to the roadmap, and there it is part of the form of filters. */
export function SearchField({ path, searched }: SearchFieldProps) {
  if (searched === undefined) {
    return (
      <form class="search-field" role="search" action={`${path}/`}>
        <Field />
      </form>
    );
  }
  return (
    <div class="search-field">
      <Field value={searched} form={SEARCH_FORM} />
    </div>
  );
}

function Field({ value, form }: { value?: string; form?: string }) {
  return (
    <>
      <label class="visually-hidden" for="q">Search releases</label>
      <button type="submit" form={form} tabIndex={-1} aria-label="Search">
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="m10.5 10.5 4 4" />
        </svg>
      </button>
      <input
        id="q"
        name="q"
        type="search"
        form={form}
        value={value}
        placeholder="Search releases"
        maxLength={1000}
        autocomplete="off"
        spellcheck={false}
      />
      <kbd aria-hidden="true">/</kbd>
    </>
  );
}
