import { ShieldX } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { refusalEdges } from "../../../lib/refusal-edges.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { me } from "../../platform/session.ts";
import { Age } from "../../ui/age.tsx";
import { EmptyPanel } from "../../ui/empty-panel.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Section } from "../../ui/section.tsx";
import { type Refusal, type RefusalScope, refusalsApi } from "./refusals-api.ts";

const PAGE_SIZE = 20;
const REFRESH_MS = 15_000;

/** Credentials that were refused, the newest first. */
export function RefusedSection({ scope }: { scope: RefusalScope }) {
  const [edge, setEdge] = useState("");
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(PAGE_SIZE);
  const page = useResource(() => refusalsApi.list(scope, { edge, search, limit }), [edge, search, limit]);
  const shown = useKept(page);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && page.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  });
  const isFiltered = edge !== "" || search !== "";
  return (
    <Section
      id="refused"
      title={t("refused.title")}
      hint={t(scope === "site" ? "refused.siteHint" : "refused.hint")}
    >
      <div class="flex flex-wrap items-center gap-2">
        <SearchBox label={t("refused.search")} value={search} onSearch={setSearch} />
        <FilterSelect
          class="w-full sm:w-52"
          label={t("refused.edge")}
          all={t("refused.allEdges")}
          value={edge}
          options={refusalEdges.map((id) => ({ id, text: t(`refusalEdge.${id}`) }))}
          onSelect={setEdge}
        />
      </div>
      {page.error !== undefined && <ErrorNote error={page.error} onRetry={page.reload} />}
      {shown?.rows.length === 0 && (
        <EmptyPanel
          icon={ShieldX}
          title={t(isFiltered ? "refused.noMatch" : "refused.none")}
          hint={t(isFiltered ? "refused.noMatchHint" : "refused.noneHint")}
        />
      )}
      {shown && shown.rows.length > 0 && (
        <ol class="divide-y divide-base-300/60" aria-label={t("refused.list")}>
          {shown.rows.map((refusal) => (
            <Item key={refusal.refusalId} refusal={refusal} />
          ))}
        </ol>
      )}
      {shown && shown.rows.length < shown.total && (
        <p class="flex flex-wrap items-center gap-3 text-sm text-soft">
          {t("refused.shown", { shown: shown.rows.length, total: shown.total })}
          <button type="button" class="btn btn-sm" onClick={() => setLimit(limit + 5 * PAGE_SIZE)}>
            {t("refused.more")}
          </button>
        </p>
      )}
    </Section>
  );
}

function Item({ refusal }: { refusal: Refusal }) {
  const { edge, protocol, port, address, client, count, reason, hint } = refusal;
  const firstAt = toMs(refusal.firstAt) ?? 0;
  return (
    <li class="grid gap-x-4 gap-y-1 py-2.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <span class="text-sm text-soft">
        <Age ts={toMs(refusal.lastAt)} />
        <br />
        <span title={formatDate(firstAt, "zoned")}>{plural("refused.count", count)}</span>
        {count > 1 && ` ${t("refused.since", { time: formatDate(firstAt, "day") })}`}
      </span>
      <div class="min-w-0 wrap-anywhere">
        <p>
          <Identity refusal={refusal} />{" "}
          <span class="text-soft">
            {address === undefined ? t("refused.fromUnknown") : t("refused.from", { address })}
          </span>
        </p>
        <p>{serverText(reason, reason.message)}</p>
        {hint && <p class="text-sm text-soft">{serverText(hint, hint.message)}</p>}
        <p class="text-sm text-soft">
          {t(`refusalEdge.${edge}`)} · {protocol}
          {port !== undefined && ` · ${port}`}
          {client && ` · ${client}`}
          {refusal.tenantName && ` · ${refusal.tenantName}`}
        </p>
      </div>
    </li>
  );
}

/** Names who was refused, with a link to the device or user where it belongs to the reader's own tenant. */
function Identity({ refusal }: { refusal: Refusal }) {
  const { identity, identityKind, tenantId, deviceId, deviceName, userId } = refusal;
  const isOwn = tenantId !== undefined && tenantId === me.value?.tenantId;
  const name = deviceName ?? identity;
  if (identityKind === "others") return <strong>{t("refused.others")}</strong>;
  if (name === "") return <strong>{t("refused.noIdentity")}</strong>;
  const href =
    deviceId !== undefined
      ? `/devices/${deviceId}/connect`
      : userId !== undefined
        ? `/settings/users/${userId}`
        : "";
  if (!isOwn || href === "") return <strong class="reading">{name}</strong>;
  return (
    <a class="link font-semibold" href={href}>
      {name}
    </a>
  );
}
