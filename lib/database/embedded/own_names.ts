/**
 * The `application_name` of the product's own clients: of its requests and health checks, which go first
 * where others share a session, and of its jobs and commands.
 */
export const OWN_NAMES = { requests: "roadcast requests", others: "roadcast" } as const;
