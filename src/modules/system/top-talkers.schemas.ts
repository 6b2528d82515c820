import { t } from "elysia";

export const topTalkerBody = t.Object(
  {
    deviceId: t.String(),
    deviceName: t.Optional(t.String({ description: "absent for a device that was deleted" })),
    tenantId: t.String(),
    tenantName: t.Optional(t.String()),
    messages: t.Number({ description: "messages that were accepted" }),
    values: t.Number({ description: "values in them" }),
    bytes: t.Number({
      description: "bytes of the messages that the device sent itself, rejected ones included",
    }),
    rejected: t.Number({ description: "messages that were rejected" }),
  },
  { title: "TopTalker" },
);
