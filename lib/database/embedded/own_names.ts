/**
 * The `application_name` of the product's own clients, which leave no settings in the session: of its
 * requests and health checks, which go first, and of its jobs and commands.
 */
export const OWN_NAMES = { requests: "roadcast requests", others: "roadcast" } as const;
