import { t } from "elysia";
import { textFields } from "../api/wire.schemas.ts";

export const checkBody = t.Object({
  damage: t.Array(t.String(), {
    description: "Damage that is known: found by the check, or met by the store while it ran. English.",
  }),
  losses: t.Array(
    t.Object({
      foundAt: t.String({ format: "date-time" }),
      ...textFields,
      message: t.String({
        description: "the loss in English, with time and number of values if known",
      }),
    }),
    { description: "unacknowledged losses, kept across restarts" },
  ),
  unknownDevices: t.Integer({
    description: "number of devices with telemetry that are missing from the device table",
  }),
  lastCompletedAt: t.Optional(
    t.String({ format: "date-time", description: "end of the last finished check, kept across restarts" }),
  ),
  startedAt: t.Optional(t.String({ format: "date-time", description: "Start of the newest check." })),
  finishedAt: t.Optional(t.String({ format: "date-time", description: "Absent while the check runs." })),
  failure: t.Optional(t.String({ description: "Why the check could not finish. English." })),
  databases: t.Optional(
    t.Array(
      t.Object({
        name: t.String({ description: "Name of the file." }),
        bytes: t.Integer({ description: "Size of the file and its write-ahead log." }),
        problems: t.Array(t.String(), { description: "What cannot be read. English." }),
      }),
    ),
  ),
});
