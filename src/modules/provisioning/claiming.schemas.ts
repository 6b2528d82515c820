import { t } from "elysia";
import { choice, isoTime } from "../api/wire.schemas.ts";
import { CLAIMING_STATES } from "./claiming.types.ts";
import { CLAIMING_MS_MAX, SECRET_KEY_CHARACTERS_MAX, SECRET_KEY_CHARACTERS_MIN } from "./claiming-request.ts";

const secretKey = t.String({
  minLength: SECRET_KEY_CHARACTERS_MIN,
  maxLength: SECRET_KEY_CHARACTERS_MAX,
  description: "the code that proves who holds the device, for example on its sticker",
});

export const claimDeviceBody = t.Object(
  { deviceName: t.String({ minLength: 1, maxLength: 256 }), secretKey },
  { title: "ClaimDevice" },
);

export const claimedDevice = t.Object({ deviceId: t.String(), name: t.String() });

export const openClaimingBody = t.Object(
  {
    secretKey,
    durationMs: t.Optional(
      t.Integer({ minimum: 1, maximum: CLAIMING_MS_MAX, description: "86,400,000 (a day) by default" }),
    ),
  },
  { title: "OpenClaiming" },
);

export const claimingBody = t.Object(
  {
    state: choice(CLAIMING_STATES),
    expiresAt: t.Optional(isoTime),
    claimedAt: t.Optional(isoTime),
    claimedBy: t.Optional(t.String({ description: "address of the user, or name of the API key" })),
  },
  { title: "Claiming" },
);
