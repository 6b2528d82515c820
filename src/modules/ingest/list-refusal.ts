import { DomainError, textOf } from "../../lib/domain-error.ts";
import type { DeviceIngest, IngestDevice, MessageRefusal } from "./ingest.types.ts";

const SAMPLE_BYTES = 256;

/** Lists a message that is refused on its device, whose program seldom shows the answer. */
export function listRefusal(
  ingest: Pick<DeviceIngest, "reject">,
  device: IngestDevice,
  { error, body, ...origin }: MessageRefusal,
): void {
  if (!(error instanceof DomainError) || error.kind === "unavailable") return;
  const sample = body?.slice(0, SAMPLE_BYTES);
  ingest.reject(device, { ...origin, ...textOf(error), ...(sample && { sample }) });
}
