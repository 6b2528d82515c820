import { DomainError, limited, toText } from "../../../lib/core/domain-error.ts";
import type { TenantId } from "../../../lib/core/ids.ts";
import { AttemptLimit } from "../../../lib/data/attempt-limit.ts";
import { addressGroup } from "../../../lib/network/network-address.ts";
import { secretHint, shownName } from "../../../lib/strings/secret-hint.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import { NO_TENANT } from "../../../platform/load/body-space.ts";
import { type TaskOwner, workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { refusalReporter } from "../../api/report-refusal.ts";
import type { Peer } from "../../api/request-peer.ts";
import type { WebhookSecretsService } from "../../connectivity/webhook-secrets.service.ts";
import type { DeviceDirectory } from "../../devices/device-directory.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { Refusal } from "../../faults/refusals.types.ts";
import type { MessageRateService } from "../../tenants/message-rate.service.ts";
import { bytesLimit, messagesLimit } from "../../tenants/tenants.errors.ts";
import type { InboundPipeline, Taken } from "../inbound/inbound-pipeline.ts";
import {
  integrationNotFound,
  nothingIn,
  notRunning,
  secretRequired,
  tenantMissing,
} from "../integrations.errors.ts";
import type { Integration } from "../integrations.resource.ts";
import type { IntegrationsService } from "../integrations.service.ts";
import type { InboundMessage } from "../integrations.types.ts";
import { typeOfKind, type WebhookKind } from "../integrations.wire.ts";

/** Rate of wrong secrets per address; enough for troubleshooting. */
const WRONG = { perSecond: 0.5, burst: 30 };

/** Max. size of bodies without a secret from an address with too many failures. Messages with a token are short. */
const STRANGER_BYTES_MAX = 16 * 1024;

export interface WebhookRequest {
  readonly kind: WebhookKind;
  /** Integration, if the URL names one. */
  readonly integrationId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly secret?: string | undefined;
  /** Device token from the body, accepted in place of the secret for that device. */
  readonly deviceToken?: string | undefined;
  readonly peer: Peer;
  readonly message: InboundMessage;
}

function describeRefusal(
  { peer, secret, deviceToken }: WebhookRequest,
  tenantId: TenantId,
  isLimited: boolean,
): Refusal {
  if (secret === undefined && deviceToken !== undefined) {
    const reason = isLimited ? "too_many_tries" : "token_wrong";
    return { edge: "webhook", reason, ...peer, identity: { kind: "token", name: secretHint(deviceToken) } };
  }
  const cause = secret === undefined ? "credential_missing" : "secret_wrong";
  const identity = { kind: "tenant", name: shownName(tenantId) } as const;
  return { edge: "webhook", reason: isLimited ? "too_many_tries" : cause, ...peer, identity };
}

/** Accepts messages posted by other programs. */
export function createWebhooksService(deps: {
  integrations: Pick<IntegrationsService, "find" | "liveOf" | "ensureDefault">;
  pipeline: Pick<InboundPipeline, "take">;
  secrets: Pick<WebhookSecretsService, "isValid" | "status">;
  directory: Pick<DeviceDirectory, "findByToken">;
  /** Returns the meters of messages sent by a tenant's devices and integrations. */
  metersOf: MessageRateService["metersOf"];
  clock: Pick<Clock, "monotonic">;
  events: Pick<EventBus<DomainEvents>, "emit">;
}) {
  const { integrations } = deps;
  const wrong = new AttemptLimit(WRONG);
  const report = refusalReporter(deps.events);

  function refuse(request: WebhookRequest, tenantId: TenantId): never {
    const waitMs = wrong.take(request.peer.address, deps.clock.monotonic());
    // A tenant without a secret may be one that does not exist.
    const hasSecret = deps.secrets.status(tenantId).hasSecret;
    report({ ...describeRefusal(request, tenantId, waitMs > 0), tenantId: hasSecret ? tenantId : undefined });
    ensureWithinLimit(waitMs);
    throw secretRequired();
  }

  /** @throws DomainError `limited` */
  function ensureWithinLimit(waitMs: number): void {
    if (waitMs > 0) throw limited("webhook.limited", Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** Returns the tenant of a request: the tenant of the integration in its URL, otherwise the named tenant. */
  function tenantOf(
    { tenantId, secret, deviceToken, peer }: WebhookRequest,
    named: Integration | undefined,
  ): TenantId {
    const ofToken = deviceToken === undefined ? undefined : deps.directory.findByToken(deviceToken)?.tenantId;
    // A token says the tenant before the address does: its holder must not learn which integrations others have.
    const wanted = tenantId ?? (secret === undefined ? ofToken : undefined) ?? named?.tenantId;
    if (wanted === undefined) {
      ensureWithinLimit(wrong.take(peer.address, deps.clock.monotonic()));
      throw tenantMissing();
    }
    return wanted as TenantId; // nobody is allowed anything of one that does not exist
  }

  function isAllowed(tenantId: TenantId, { secret, deviceToken }: WebhookRequest): boolean {
    if (secret !== undefined) return deps.secrets.isValid(tenantId, secret);
    return deviceToken !== undefined && deps.directory.findByToken(deviceToken)?.tenantId === tenantId;
  }

  const isOfDevice = ({ deviceToken }: WebhookRequest): boolean =>
    deviceToken !== undefined && deps.directory.findByToken(deviceToken) !== undefined;

  /** Returns the integration of a request after checking the sender's credentials. */
  function integrationFor(request: WebhookRequest): Integration {
    const { kind, integrationId } = request;
    const named =
      integrationId === undefined
        ? undefined
        : (integrations.liveOf(integrationId)?.integration ?? integrations.find(integrationId));
    // A stranger must not learn which integrations exist.
    if (
      integrationId !== undefined &&
      named === undefined &&
      request.tenantId === undefined &&
      !isOfDevice(request)
    )
      return refuse(request, "" as TenantId);
    const tenantId = tenantOf(request, named);
    if (!isAllowed(tenantId, request)) refuse(request, tenantId);
    if (integrationId === undefined) return integrations.ensureDefault(tenantId, typeOfKind(kind));
    if (named?.tenantId !== tenantId || named.type !== typeOfKind(kind)) throw integrationNotFound();
    return named;
  }

  /** Checks the rates of the tenant's plan. Lists a refused message as a fault of its integration. @throws DomainError `limited` */
  function ensureRate({ tenantId, integrationId, name }: Integration): void {
    const { messages, bytes } = deps.metersOf(tenantId);
    const now = deps.clock.monotonic();
    try {
      messages.ensure(now, 0, messagesLimit);
      bytes.ensure(now, 0, bytesLimit);
    } catch (error) {
      const subject = { kind: "integration", id: integrationId, name } as const;
      if (error instanceof DomainError)
        deps.events.emit("fault.occurred", { ...toText(error), source: "integration", tenantId, subject });
      throw error;
    }
  }

  /** Counts a message without stored data; it costs as much as a stored message, which ingest counts. */
  function countUnstored(tenantId: TenantId, length: number): void {
    const { messages, bytes } = deps.metersOf(tenantId);
    messages.spend(deps.clock.monotonic(), 1);
    bytes.spend(deps.clock.monotonic(), length);
  }

  return {
    /** Returns the owner of the space for an unread body: the tenant and integration whose secret the request carries, otherwise the address. */
    spaceOwner(request: Pick<WebhookRequest, "tenantId" | "integrationId" | "secret" | "peer">): TaskOwner {
      const { tenantId, integrationId, secret } = request;
      const stranger = () => ({ tenantId: NO_TENANT, userId: addressGroup(request.peer.address) });
      if (secret === undefined) return stranger();
      const named = integrationId === undefined ? undefined : integrations.liveOf(integrationId);
      const wanted = (tenantId ?? named?.integration.tenantId ?? "") as TenantId; // nothing is right for one that does not exist
      return deps.secrets.isValid(wanted, secret)
        ? { tenantId: wanted, userId: integrationId ?? wanted }
        : stranger();
    },
    /**
     * Reads the sender from an unauthenticated request body. Addresses take turns; an unreadable body counts as a wrong secret.
     * @throws DomainError `limited` for too many wrong secrets
     */
    async readSender<Sender>({ address }: Peer, bytes: Uint8Array, read: () => Sender): Promise<Sender> {
      const { clock } = deps;
      if (bytes.length > STRANGER_BYTES_MAX) ensureWithinLimit(wrong.waitMs(address, clock.monotonic()));
      await workShare.enter({ tenantId: "", userId: addressGroup(address) });
      try {
        return read();
      } catch (error) {
        ensureWithinLimit(wrong.take(address, clock.monotonic()));
        throw error;
      }
    },
    /** @throws DomainError `invalid` for a wrong secret, tenant or message; `limited` for too many of them */
    async take(request: WebhookRequest): Promise<Taken> {
      const integration = integrationFor(request);
      const live = integrations.liveOf(integration.integrationId);
      if (live === undefined) throw notRunning();
      ensureRate(integration);
      const taken = await deps.pipeline.take(live, request.message);
      if (taken.status === "ERROR" || taken.status === "DROPPED")
        countUnstored(integration.tenantId, request.message.bytes.length);
      // Senders get errors that they can fix. Messages that failed in a mapping or script are kept here and can be processed again.
      const isSenders = taken.stage === "adapter" || taken.stage === "resolution" || taken.stage === "ingest";
      if (taken.status === "ERROR" && isSenders && taken.reason !== undefined) throw taken.reason;
      // Network servers send many messages without values; other senders have made a mistake.
      const isNetwork = live.settings.paths?.frame !== undefined;
      if (request.kind === "generic" && !isNetwork && taken.status === "DROPPED" && taken.stage === "adapter")
        throw nothingIn(taken.text);
      return taken;
    },
  };
}

export type WebhooksService = ReturnType<typeof createWebhooksService>;
