/** The words of an error without the name of its class, which says nothing to a person. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
