// Asks a backup place away from the main thread: key derivation, long records and silent disks would hold up everybody.
import { serveThread } from "../../platform/load/work-thread.ts";
import { type PlaceQuestion, responseOf } from "./place-questions.ts";

serveThread<PlaceQuestion, unknown>("backup.failed", responseOf);
