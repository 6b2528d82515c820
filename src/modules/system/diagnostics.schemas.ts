import { t } from "elysia";

export const checkBody = t.Object({
  damage: t.Array(t.String(), {
    description: "Damage that is known: found by the check, or met by the store while it ran. English.",
  }),
  losses: t.Array(
    t.Object({
      foundAt: t.String({ format: "date-time" }),
      text: t.String({ description: "What was lost, with time and number where they are known. English." }),
    }),
    { description: "Losses that nobody has acknowledged. They are kept across restarts." },
  ),
  unknownDevices: t.Integer({
    description:
      "Devices that only the telemetry store knows. Their telemetry is kept until it is deleted here.",
  }),
  lastCompletedAt: t.Optional(
    t.String({ format: "date-time", description: "End of the newest check that finished, across restarts." }),
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
