import { Elysia, t } from "elysia";
import { type Endpoints, listTransports } from "./connectivity.service.ts";

const transport = t.Object({
  id: t.String(),
  name: t.String(),
  url: t.String(),
  auth: t.String(),
  payloads: t.Array(t.String()),
  example: t.String(),
});

export const connectivityRoutes = (deps: { endpointsFor: (requestUrl: string) => Endpoints }) =>
  new Elysia({ prefix: "/api/v1/connectivity", tags: ["connectivity"] }).get(
    "/catalog",
    ({ request }) => ({
      transports: listTransports(deps.endpointsFor(request.url)).map((item) => ({
        ...item,
        payloads: [...item.payloads],
      })),
    }),
    {
      response: { 200: t.Object({ transports: t.Array(transport) }) },
      detail: {
        summary: "The ways in for devices",
        description: "Public: transports with this gateway's real host and ports.",
      },
    },
  );
