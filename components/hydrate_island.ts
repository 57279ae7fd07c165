import { type ComponentType, h, hydrate } from "preact";

/** Hydrates a component that the server has rendered into the page. */
export function hydrateIsland<Props extends object>(
  name: string,
  component: ComponentType<Props>,
): void {
  const element = document.getElementById(`island-${name}`);
  const props = document.getElementById(`props-${name}`)?.textContent;
  if (element && props) hydrate(h(component, JSON.parse(props) as Props), element);
}
