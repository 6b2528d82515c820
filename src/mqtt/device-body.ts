import { Encoder } from "cbor-x/encode";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";

const cbor = new Encoder({ useRecords: false });

/** A body for a device, in what its profile says that it reads: JSON unless that is CBOR. */
export const encodeBody = (payload: IngestDevice["payload"] | undefined, body: unknown): Uint8Array =>
  payload === "CBOR" ? cbor.encode(body) : Buffer.from(JSON.stringify(body));
