// Accesses a backup place outside the main thread: key derivation, long records and hanging disks would block everybody.
import { serveThread } from "../../platform/load/work-thread.ts";
import { type PlaceRequest, responseOf } from "./place-requests.ts";

serveThread<PlaceRequest, unknown>("backup.failed", responseOf);
