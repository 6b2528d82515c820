import { Elysia, t } from "elysia";
import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { fileResponse } from "../api/documented-responses.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { BrandingService } from "./branding.service.ts";
import type { PlansService } from "./plans.service.ts";
import { ensureAllDevices, logoNotFound } from "./tenants.errors.ts";
import { appearanceBody, brandingBody, tenantBranding } from "./tenants.schemas.ts";
import type { TenantsService } from "./tenants.service.ts";

export const brandingRoutes = (deps: {
  branding: BrandingService;
  tenants: Pick<TenantsService, "get">;
  plans: Pick<PlansService, "of">;
  auth: AuthPlugin;
}) => {
  const { branding } = deps;
  const whole = (tenantId: TenantId) => ({
    whitelabelEnabled: deps.plans.of(deps.tenants.get(tenantId).planName).whitelabelEnabled,
    branding: branding.get(tenantId),
    appearance: branding.appearanceFor(tenantId),
  });
  /** Returns the branding without its image, which would fill the log. */
  const read = ({ principal }: AuditContext) => {
    const { logo, ...rest } = branding.get(principal.tenantId);
    return {
      ...rest,
      ...(logo !== undefined && { logo: `${logo.slice(0, 24)}… (${logo.length} characters)` }),
    };
  };
  return new Elysia({ prefix: "/api", tags: ["tenant"] })
    .use(deps.auth)
    .get("/branding", () => branding.appearance(), {
      response: { 200: appearanceBody },
      detail: {
        operationId: "getBranding",
        summary: "Get the branding of the sign-in pages",
        description: "Public. It is the branding of the gateway's own tenant. Null means the default.",
      },
    })
    .get(
      "/branding/logo",
      ({ query }) => {
        const logo = branding.logo();
        if (logo === undefined) throw logoNotFound();
        return new Response(logo.bytes, {
          headers: {
            "content-type": logo.type,
            // An SVG opened on its own is a document, so scripts are blocked.
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            "x-content-type-options": "nosniff",
            "cache-control":
              query.v === logo.version ? "public, max-age=31536000, immutable" : "public, no-cache",
          },
        });
      },
      {
        query: t.Object({ v: t.Optional(t.String({ maxLength: 64, description: "from /api/branding" })) }),
        detail: {
          operationId: "getBrandingLogo",
          summary: "Get the logo of /api/branding",
          description: "Public.",
          errors: { 404: "There is no logo." },
          responses: {
            200: fileResponse(
              "The picture.",
              "image/svg+xml",
              "image/png",
              "image/jpeg",
              "image/webp",
              "image/gif",
            ),
          },
        },
      },
    )
    .get("/tenant/branding", ({ principal }) => whole(principal.tenantId), {
      auth: "tenant:read",
      response: { 200: tenantBranding },
      detail: {
        operationId: "getTenantBranding",
        summary: "Get the tenant's branding",
        description:
          "`branding` is the stored branding, `appearance` the effective one: the tenant's own if its plan includes whitelabeling, else that of the gateway's own tenant.",
      },
    })
    .put(
      "/tenant/branding",
      ({ principal, body }) => {
        ensureAllDevices(principal, detail("action.change_branding"));
        branding.set(principal.tenantId, body);
        return whole(principal.tenantId);
      },
      {
        auth: "tenant:write",
        audit: {
          action: "branding.set",
          target: "tenant",
          id: ({ principal }: AuditContext) => principal.tenantId,
          read,
        },
        body: brandingBody,
        response: { 200: tenantBranding },
        detail: {
          operationId: "setTenantBranding",
          summary: "Set the tenant's branding",
          description:
            "Replaces the branding as a whole. A missing field has its default. It is stored as the tenant attribute `branding`.",
          errors: {
            400: "A field is invalid.",
            403: "Requires an owner or administrator with access to all devices, and a plan with whitelabeling.",
          },
          example: { name: "Plant North", primaryColor: "#0f766e" },
        },
      },
    );
};
