/** Schemas of the restoration on a gateway without an owner. */
import { t } from "elysia";
import { renderedText } from "../api/wire.schemas.ts";

export const link = t.String({ minLength: 1, maxLength: 128, description: "secret of the setup link" });

export const restorationBody = t.Object(
  {
    state: t.Union([t.Literal("IDLE"), t.Literal("RESTORING"), t.Literal("FAILED"), t.Literal("RESTARTING")]),
    uploadedBytes: t.Integer({ description: "bytes of the file that have arrived" }),
    totalBytes: t.Integer({ description: "bytes of the whole file; 0 before the first part" }),
    share: t.Number({ description: "share of the backup that is restored, 0 to 1" }),
    error: t.Optional(renderedText),
  },
  { title: "SetupRestoration" },
);

export const restoreBody = t.Object(
  {
    token: link,
    passphrase: t.Optional(
      t.String({ minLength: 1, maxLength: 1024, description: "passphrase of an encrypted backup" }),
    ),
  },
  { title: "SetupRestorationRequest" },
);
