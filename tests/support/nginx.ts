import { findNginx } from "../../bench/nginx.ts";

export { startNginx } from "../../bench/nginx.ts";

/** Tells whether nginx is installed. */
export function hasNginx(): boolean {
  return findNginx() !== null;
}
