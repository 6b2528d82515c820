import { unavailable } from "../../lib/core/domain-error.ts";

/**
 * Runs work whose signal is aborted after a time, or with `outer`.
 * @throws what the work throws; the reason of its signal is DomainError `network_error.no_response_within` after the time
 */
export async function withTimeLimit<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  outer?.addEventListener("abort", abort);
  if (outer?.aborted) abort();
  const timer = setTimeout(
    () => controller.abort(unavailable("network_error.no_response_within", { ms: Math.round(ms) })),
    ms,
  );
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  }
}
