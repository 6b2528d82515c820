import { t } from "elysia";
import { renderedText } from "../api/wire.schemas.ts";

export const updateBody = t.Object({
  version: t.String({ description: "Version that runs." }),
  target: t.Optional(t.String({ description: "Machine that updates have to be for, as `linux-x64`." })),
  problem: t.Optional(renderedText),
  upload: t.Optional(
    t.Object({
      version: t.String(),
      commit: t.String(),
      bytes: t.Integer({ description: "Bytes that are uploaded. The next part begins there." }),
      totalBytes: t.Integer({ description: "Size of the update file." }),
    }),
  ),
  isInstalling: t.Boolean({
    description: "The update is checked and backed up. The gateway restarts after that.",
  }),
  isOnProbation: t.Boolean({
    description: "true while the new version runs but returns to the previous version if it crashes",
  }),
  failure: t.Optional(renderedText),
  result: t.Optional(
    t.Object({
      outcome: t.Union([t.Literal("UPDATED"), t.Literal("ROLLED_BACK"), t.Literal("FAILED")]),
      from: t.String(),
      to: t.String(),
      at: t.String({ format: "date-time" }),
      reason: t.Optional(renderedText),
    }),
  ),
});

export const uploadQuery = t.Object({
  offset: t.Integer({ minimum: 0, description: "Position of the part in the file; 0 begins a new upload." }),
});
