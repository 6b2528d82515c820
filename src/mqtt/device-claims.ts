import { decodeBody } from "../lib/body.ts";
import type { DeviceIngest, IngestSource } from "../modules/ingest/ingest.types.ts";
import type { ClaimingService } from "../modules/provisioning/claiming.service.ts";
import { listingErrors } from "./listed-errors.ts";

const CLAIM = "v1/devices/me/claim";

/** Handles the requests of devices to be claimed by people; undefined for any other topic. */
export const createDeviceClaims = (deps: {
  claiming: Pick<ClaimingService, "check" | "request">;
  ingest: Pick<DeviceIngest, "refuse">;
  source: IngestSource;
}) =>
  listingErrors(deps, (device, topic, bytes) =>
    topic === CLAIM
      ? deps.claiming.request(device, deps.claiming.check(decodeBody(bytes, device.payload)))
      : undefined,
  );
