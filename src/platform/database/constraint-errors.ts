/** Returns whether an error is a violated foreign key. Drizzle wraps errors of the driver. */
export function isOfForeignKey(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && "code" in cause && cause.code === "SQLITE_CONSTRAINT_FOREIGNKEY";
}
