import { Activity, LineChart, Pause, Pencil, Play, Plus, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { useAction } from "../../ui/use-form.ts";
import { GeneratorDialog } from "./generator-dialog.tsx";
import { generatorError } from "./generator-error.ts";
import { configProblem } from "./generator-text.ts";
import { type Generator, generatorsApi } from "./generators-api.ts";

const REFRESH_MS = 5_000;
const KEYS_SHOWN = 6;
const DEVICES_SHOWN = 3;

type Open = { readonly kind: "create" } | { readonly kind: "edit" | "delete"; readonly of: Generator };

/** Rule chains that make telemetry up. */
export function GeneratorsScreen() {
  const { path, query, route } = useLocation();
  const search = query.search ?? "";
  const [open, setOpen] = useState<Open | undefined>(undefined);
  useEffect(() => {
    if (query.create) setOpen({ kind: "create" });
  }, [query.create]);
  const list = useResource(() => generatorsApi.list(search), [search]);
  const generators = useKept(list);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && list.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [search]);
  const close = (isChanged: boolean) => {
    setOpen(undefined);
    if (query.create) route(path, true);
    if (isChanged) list.reload();
  };
  const create = may("rule-chains:write") && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setOpen({ kind: "create" })}>
      {t("generators.create")}
    </Button>
  );
  const isEmpty = generators?.rows.length === 0;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      <PageHead title={t("nav.generators")}>{(!isEmpty || search !== "") && create}</PageHead>
      <p class="-mt-2 max-w-2xl text-soft">{t("generators.intro")}</p>
      {(search !== "" || (generators?.rows.length ?? 0) > 0) && (
        <div class="flex flex-wrap items-center gap-3">
          <SearchBox
            label={t("generators.search")}
            value={search}
            onSearch={(text) => route(text ? `${path}?search=${encodeURIComponent(text)}` : path, true)}
          />
          {generators && (
            <span class="text-sm text-soft">{plural("generators.count", generators.total)}</span>
          )}
        </div>
      )}
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {isEmpty && <NoGenerators isSearch={search !== ""}>{create}</NoGenerators>}
      {generators && !isEmpty && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("nav.generators")}>
          {generators.rows.map((generator) => (
            <Row key={generator.id} generator={generator} onChanged={list.reload} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {open?.kind === "create" && <GeneratorDialog onClose={close} />}
      {open?.kind === "edit" && <GeneratorDialog key={open.of.id} generator={open.of} onClose={close} />}
      {open?.kind === "delete" && <DeleteDialog generator={open.of} onClose={close} />}
    </div>
  );
}

function NoGenerators({ isSearch, children }: { isSearch: boolean; children: ComponentChildren }) {
  return (
    <div class="panel">
      <Empty
        icon={<Activity size={32} aria-hidden="true" />}
        title={t(isSearch ? "generators.noMatch" : "generators.none")}
        hint={t(isSearch ? "generators.noMatchHint" : "generators.noneHint")}
      >
        {!isSearch && children}
      </Empty>
    </div>
  );
}

interface RowProps {
  readonly generator: Generator;
  readonly onChanged: () => void;
  readonly onOpen: (open: Open) => void;
}

function Row({ generator, onChanged, onOpen }: RowProps) {
  const { name, description, status, lastError, lastReadingAt } = generator;
  const isActive = status === "active";
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="generator">
      <div class="min-w-0 flex-[2_1_16rem]">
        <p class="font-medium wrap-anywhere">{name}</p>
        {description && <p class="text-sm text-soft wrap-anywhere">{description}</p>}
        <p class="text-sm text-soft wrap-anywhere">{summaryOf(generator)}</p>
        <Devices generator={generator} />
      </div>
      <div class="min-w-0 flex-[1_1_12rem]">
        <p class="flex items-center gap-2.5">
          <span class={`lamp ${isActive ? "lamp-on" : ""}`} aria-hidden="true" />
          <span class={isActive ? "" : "text-soft"}>{t(`generatorStatus.${status}`)}</span>
        </p>
        {isActive && (
          <p class="text-sm text-soft">
            {t("generators.lastReading")}: <Age ts={toMs(lastReadingAt)} never={t("generators.never")} />
          </p>
        )}
        {lastError !== null && (
          <p class="text-sm text-warning wrap-anywhere">{configProblem(lastError).text}</p>
        )}
      </div>
      {may("rule-chains:write") && generator.hiddenDevices === 0 && (
        <Buttons generator={generator} onChanged={onChanged} onOpen={onOpen} />
      )}
    </li>
  );
}

function summaryOf({ config }: Generator): string {
  const keys = config.metrics.map(({ key }) => key);
  const more = keys.length - KEYS_SHOWN;
  const shown = keys.slice(0, KEYS_SHOWN).join(", ");
  return t("generators.sends", {
    keys: more > 0 ? `${shown} ${t("access.more", { count: more })}` : shown,
    every: t("generators.every", { time: durationText(config.intervalSeconds * 1000) }),
  });
}

/** Whom it sends for; each leads to its live chart. */
function Devices({ generator }: { generator: Generator }) {
  const { devices, deviceCount, hiddenDevices, config } = generator;
  if (deviceCount === 0)
    return (
      <p class="text-sm text-soft">
        {t(config.deviceIds === undefined ? "generators.ownDevice" : "generators.noDevice")}
      </p>
    );
  const more = deviceCount - Math.min(devices.length, DEVICES_SHOWN);
  return (
    <p class="flex flex-wrap gap-x-3 text-sm">
      {devices.slice(0, DEVICES_SHOWN).map(({ deviceId, name }) => (
        <a
          key={deviceId}
          class="link inline-flex min-w-0 items-center gap-1.5 wrap-anywhere"
          href={`/devices/${deviceId}/data`}
          aria-label={t("generators.chart", { name })}
        >
          <LineChart size={14} class="flex-none" aria-hidden="true" />
          {name}
        </a>
      ))}
      {more > 0 && <span class="text-soft">{t("access.more", { count: more })}</span>}
      {hiddenDevices > 0 && <span class="text-soft">{plural("generators.hidden", hiddenDevices)}</span>}
    </p>
  );
}

function Buttons({ generator, onChanged, onOpen }: RowProps) {
  const { id, name, status } = generator;
  const action = useAction();
  const isActive = status === "active";
  const toggle = () =>
    action.run(async () => {
      try {
        await (isActive ? generatorsApi.pause(id) : generatorsApi.start(id));
      } catch (error) {
        toast("error", generatorError(error));
      }
      onChanged();
    });
  const Icon = isActive ? Pause : Play;
  const label = t(isActive ? "generators.pause" : "generators.start", { name });
  return (
    <div class="flex gap-1">
      <IconButton icon={Icon} label={label} disabled={action.busy} onClick={toggle} />
      <IconButton
        icon={Pencil}
        label={t("generators.edit", { name })}
        onClick={() => onOpen({ kind: "edit", of: generator })}
      />
      <IconButton
        icon={Trash2}
        label={t("generators.delete", { name })}
        class="btn btn-ghost btn-sm text-error"
        onClick={() => onOpen({ kind: "delete", of: generator })}
      />
    </div>
  );
}

function DeleteDialog(props: { generator: Generator; onClose: (deleted: boolean) => void }) {
  const { id, name } = props.generator;
  return (
    <ConfirmDialog
      title={t("generators.deleteTitle")}
      warning={t("generators.deleteWarning", { name })}
      onCancel={() => props.onClose(false)}
      onConfirm={async () => {
        await generatorsApi.delete(id);
        toast("success", t("generators.deleted", { name }));
        props.onClose(true);
      }}
    />
  );
}
