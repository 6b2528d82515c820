import { t } from "elysia";

export const heldBody = t.Object(
  {
    messages: t.Integer({ description: "Number of messages that are kept" }),
    firstDueAt: t.Optional(t.String({ description: "When the first of them is stored by itself" })),
    lastDueAt: t.Optional(t.String({ description: "When the last of them is stored by itself" })),
  },
  { title: "HeldReadings" },
);
