import { t } from "elysia";
import { textFields, wholeNumber } from "./wire.schemas.ts";

/** Max. devices per request. Clients send several requests for more, and can show progress in between. */
const BULK_DEVICES_MAX = 200;

export const bulkDeviceIds = t.Array(t.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: BULK_DEVICES_MAX,
  description: `1 to ${BULK_DEVICES_MAX} devices; each is changed once`,
});

/** Result of a bulk request. `code` and `params` are for programs, `error` is for people. */
export const bulkResult = t.Object(
  {
    succeeded: wholeNumber(),
    failed: t.Array(t.Object({ deviceId: t.String(), error: t.String(), ...textFields })),
  },
  { title: "BulkResult" },
);
