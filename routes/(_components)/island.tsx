import type { ComponentProps, ComponentType } from "preact";
import Search from "../../islands/Search.tsx";
import TryApi from "../../islands/TryApi.tsx";
import type { PageContext } from "../../lib/ui/brand.tsx";
import { DataBlock, Scripts } from "../../lib/ui/render_page.tsx";

/** The islands by the names of their files, which name their scripts as well (tools/build.ts). */
export const ISLANDS = { Search, TryApi };

type IslandName = keyof typeof ISLANDS;

/**
 * A component that is rendered here and hydrated in the browser, with its props beside it as JSON:
 * a data block, which is not executed, so the content security policy allows it.
 */
export function Island<Name extends IslandName>({ name, props, context, isStatic = false }: {
  name: Name;
  props: ComponentProps<(typeof ISLANDS)[Name]>;
  context: PageContext;
  /** It stays as it is rendered here. */
  isStatic?: boolean;
}) {
  const Component = ISLANDS[name] as ComponentType<object>;
  const scripts = isStatic ? [] : context.services.assets.scriptsOf(name);
  return (
    <>
      <div class="island" id={`island-${name}`}>
        <Component {...props} />
      </div>
      {scripts.length > 0 && (
        <>
          <DataBlock id={`props-${name}`} type="application/json" value={props} />
          <DataBlock
            id={`texts-${name}`}
            type="application/json"
            value={context.services.assets.textsOf(name)}
          />
          <Scripts files={scripts} context={context} />
        </>
      )}
    </>
  );
}
