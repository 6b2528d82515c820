const DEPTH_MAX = 10;

/** Yields an error and all of its causes, outermost first. */
export function* errorChain(error: unknown, depth = 0): Generator<Error> {
  if (!(error instanceof Error) || depth > DEPTH_MAX) return;
  yield error;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* errorChain(inner, depth + 1);
  yield* errorChain(error.cause, depth + 1);
}
