import { t } from "elysia";
import { bulkDeviceIds } from "../../api/bulk.schemas.ts";
import { tagList, textFields, wholeNumber } from "../../api/wire.schemas.ts";
import { updateDeviceBody } from "../devices.schemas.ts";

const rowError = t.Object({ row: wholeNumber(), field: t.String(), message: t.String(), ...textFields });

export const validationBody = t.Object({
  valid: t.Boolean(),
  total: wholeNumber(),
  errors: t.Array(rowError),
  warnings: t.Array(rowError, {
    description:
      "names that exist already or occur twice in the list; these rows are imported as further devices",
  }),
});

/** `field`, `code` and `params` are the machine-readable form of `error`. */
export const importResult = t.Object({
  created: wholeNumber(),
  failed: wholeNumber(),
  rows: t.Array(
    t.Object({
      row: wholeNumber(),
      name: t.String(),
      deviceId: t.Optional(t.String()),
      deviceToken: t.Optional(t.String()),
      error: t.Optional(t.String()),
      field: t.Optional(t.String()),
      code: t.Optional(textFields.code),
      params: t.Optional(textFields.params),
    }),
  ),
});

const tags = tagList({ minItems: 1 });
const { profileId, parentDeviceId, assetId } = updateDeviceBody.properties;

export const bulkUpdateBody = t.Object(
  {
    deviceIds: bulkDeviceIds,
    addTags: t.Optional(tags),
    removeTags: t.Optional(tags),
    profileId,
    parentDeviceId,
    assetId,
  },
  { title: "UpdateDevices" },
);
