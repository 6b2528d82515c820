import { timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import { notFound, unauthenticated } from "../../lib/core/domain-error.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Metrics } from "../../platform/core/metrics.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { peerOf } from "../api/request-peer.ts";
import type { ReportRefusal } from "../faults/refusals.types.ts";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const isSame = (sent: string, expected: string) => {
  const [a, b] = [sent, expected].map((text) => new Bun.CryptoHasher("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};

/** Creates the metrics for Prometheus. The path returns 404 unless enabled in the configuration. */
export const systemRoutes = (deps: {
  metrics: Metrics;
  report: ReportRefusal;
  config: Pick<Config, "metrics" | "metrics_token">;
}) => {
  const { metrics: access, metrics_token: token } = deps.config;
  return new Elysia({ tags: ["system"] }).get(
    "/metrics",
    ({ request, server, set }) => {
      if (access === "off" && token === undefined) throw notFound("path.not_found");
      const [, sent = ""] = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
      if (access !== "open" && !isSame(sent, token ?? "")) {
        const reason = sent === "" ? "credential_missing" : "metrics_token_wrong";
        const identity = { kind: "none", name: "" } as const;
        deps.report({ edge: "metrics", reason, ...peerOf(request, server), identity });
        throw unauthenticated("metrics.token_wrong");
      }
      set.headers["content-type"] = CONTENT_TYPE;
      return deps.metrics.render();
    },
    {
      detail: {
        operationId: "getMetrics",
        summary: "Get metrics for Prometheus",
        responses: { 200: fileResponse("Text exposition format 0.0.4.", "text/plain") },
        errors: {
          401: "The bearer token is not `metrics_token`, and `metrics` is not `open`.",
          404: "Neither `metrics_token` nor `metrics` is set.",
        },
      },
    },
  );
};
