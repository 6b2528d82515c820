/** Returns whether a row refers to another one that does not exist (any more). Drizzle wraps what the driver throws. */
export function isOfForeignKey(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && "code" in cause && cause.code === "SQLITE_CONSTRAINT_FOREIGNKEY";
}
