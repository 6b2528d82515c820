import { t } from "elysia";
import { textFields, wholeNumber } from "./wire.schemas.ts";

/** Devices of one request. A client sends several requests for more, and knows in between how far it is. */
const BULK_DEVICES_MAX = 200;

export const bulkDeviceIds = t.Array(t.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: BULK_DEVICES_MAX,
  description: `1 to ${BULK_DEVICES_MAX} devices; each is changed once`,
});

/** `code` and `params` are the meaning of `error`. */
export const bulkResult = t.Object(
  {
    succeeded: wholeNumber(),
    failed: t.Array(t.Object({ deviceId: t.String(), error: t.String(), ...textFields })),
  },
  { title: "BulkResult" },
);
