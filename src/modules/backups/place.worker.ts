// Asks a backup place away from the main thread: key derivation, long records and silent disks would hold up everybody.
import { serveThread } from "../../platform/load/work-thread.ts";
import { type PlaceRequest, responseOf } from "./place-requests.ts";

serveThread<PlaceRequest, unknown>("backup.failed", responseOf);
