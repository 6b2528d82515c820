/** Returns the message of an error without its class name, which is meaningless to users. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
