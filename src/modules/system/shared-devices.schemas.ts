import { t } from "elysia";

export const sharedDevicesBody = t.Object(
  {
    tenants: t.Array(
      t.Object({
        tenantId: t.String(),
        name: t.String(),
        isAllowed: t.Boolean({ description: "Whether its users see key figures of the gateway." }),
      }),
      { description: "All tenants but the gateway's own." },
    ),
    keys: t.Array(t.String(), { description: "Readings that they see." }),
  },
  { title: "SharedGatewayDevices" },
);

export const sharedDevicesInput = t.Object(
  {
    tenantIds: t.Array(t.String(), {
      maxItems: 10_000,
      description: "The tenants that are allowed; no others are.",
    }),
  },
  { title: "SharedGatewayDevicesInput" },
);
