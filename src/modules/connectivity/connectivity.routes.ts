import { Elysia } from "elysia";
import { notFound } from "../../lib/core/domain-error.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { catalogBody } from "./connectivity.schemas.ts";
import { type Endpoints, listTransports } from "./connectivity.service.ts";

export const connectivityRoutes = (deps: {
  endpointsFor: (requestUrl: string) => Endpoints;
  /** Returns the PEM certificate that clients must trust. */
  authority: () => string | undefined;
}) =>
  new Elysia({ prefix: "/api/v1/connectivity", tags: ["connectivity"] })
    .get(
      "/catalog",
      ({ request }) => ({
        transports: listTransports(deps.endpointsFor(request.url)).map((item) => ({
          ...item,
          payloads: [...item.payloads],
        })),
      }),
      {
        response: { 200: catalogBody },
        detail: {
          operationId: "getConnectivityCatalog",
          summary: "List the addresses for devices",
          description: "Public: transports with this gateway's real host and ports.",
        },
      },
    )
    .get(
      "/ca.pem",
      ({ set }) => {
        const pem = deps.authority();
        if (pem === undefined) throw notFound("connectivity.no_authority");
        set.headers["content-type"] = "application/x-pem-file";
        set.headers["content-disposition"] = 'attachment; filename="lineside-ca.pem"';
        return pem;
      },
      {
        detail: {
          operationId: "getCertificateAuthority",
          summary: "Download the certificate that devices must trust",
          responses: { 200: fileResponse("PEM.", "application/x-pem-file") },
          description:
            "Public: the authority behind this gateway's TLS certificate, PEM; `--cafile` of mosquitto, `--cacert` of curl.",
          errors: { 404: "The gateway does not use TLS, or the operator's own certificate has no `tls_ca`." },
        },
      },
    );
