import { Pin as PinIcon, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { severitiesDescending } from "../../../lib/alarms/severity.ts";
import { dataHref } from "../../lib/data-href.ts";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import { formatCount, formatNumber, formatReading } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../platform/key-metadata.ts";
import { now } from "../../platform/now.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { errorText } from "../../ui/page/error-text.ts";
import { later } from "../../ui/page/later.tsx";
import { Age } from "../../ui/state/age.tsx";
import { SeverityMark } from "../../ui/state/severity-mark.tsx";
import { stateCountsText } from "../../ui/state/state-counts.ts";
import { nameOf } from "../devices/device-names.ts";
import { Spark } from "../telemetry/spark.tsx";
import { type Overview, overviewApi, type Pin } from "./overview-api.ts";
import type { SitePulse } from "./site-pulse.ts";
import { type Figures, SPAN_MS } from "./use-figures.ts";

const PINS_MAX = 12;
const NOTHING = "–";
/** Max. characters of a value in large type. */
const VALUE_LENGTH_MAX = 10;

interface FigureProps {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly detail: ComponentChildren;
  readonly href: string;
  /** Last 24 hours. */
  readonly curve?: SeriesBuffer | undefined;
  /** Shown instead of a curve with fewer than two points. */
  readonly placeholder?: ComponentChildren;
  readonly children?: ComponentChildren;
}

const hasPoints = (curve: SeriesBuffer | undefined): curve is SeriesBuffer =>
  curve !== undefined && curve.ts.length > 1;

/** Figure of the site: one cell of a row, with its curve beside the value. */
function SiteFigure({ label, value, detail, href, curve, placeholder }: FigureProps) {
  return (
    <div class="relative flex min-w-0 flex-col bg-base-100 p-4 last:odd:col-span-2 hover:bg-base-200 xl:last:odd:col-span-1">
      <a class="panel-label block truncate after:absolute after:inset-0" href={href} title={label}>
        {label}
      </a>
      <div class="mt-1 flex items-end justify-between gap-3">
        <p
          class={`reading flex-none font-medium ${typeof value === "string" && value.length > VALUE_LENGTH_MAX ? "text-lg" : "text-2xl"}`}
        >
          {value}
        </p>
        <div class="hidden w-full max-w-24 min-w-0 sm:block">
          {hasPoints(curve) ? <Spark buffer={curve} spanMs={SPAN_MS} class="w-full" /> : placeholder}
        </div>
      </div>
      <p class="mt-1 line-clamp-2 text-sm break-words text-soft">{detail}</p>
    </div>
  );
}

function PinFigure({ label, value, detail, href, curve, children }: FigureProps) {
  return (
    <div class="panel relative flex min-w-0 flex-col p-4 hover:border-primary">
      <a class="panel-label block truncate pr-5 after:absolute after:inset-0" href={href} title={label}>
        {label}
      </a>
      <p class="reading mt-1 truncate text-2xl font-medium">{value}</p>
      <p class="mt-1 truncate text-sm text-soft">{detail}</p>
      {hasPoints(curve) && (
        <div class="mt-auto pt-2">
          <Spark buffer={curve} spanMs={SPAN_MS} class="w-full" />
        </div>
      )}
      {children}
    </div>
  );
}

/**
 * Key figures of the site, each with its last 24 hours, and pinned values of administrators. A missing figure is a dash. `isSiteKnown` is whether
 * the most recently active devices have been loaded.
 */
export function KeyFigures(props: { figures: Figures; pulse: SitePulse; isSiteKnown: boolean }) {
  redrawOn(now); // live values and rates arrive in objects that stay the same
  const { figures } = props;
  const { overview, gateway } = figures;
  const mayPin = may("tenant:write");
  const setPins = (pins: readonly Pin[]) =>
    overviewApi.setPins(pins).then(figures.reload, (error: unknown) => toast("error", errorText(error)));
  const pins = overview?.pins ?? [];
  return (
    <section class="flex flex-col gap-3" aria-labelledby="key-figures">
      <div class="flex flex-wrap items-center justify-between gap-2">
        <h2 id="key-figures" class="panel-label">
          {t("overview.figures")}
        </h2>
        {mayPin && pins.length < PINS_MAX && (
          <PinButton pins={pins} onPin={(pin) => void setPins([...pins, pin])} />
        )}
      </div>
      <div
        class={`panel grid grid-cols-2 gap-px overflow-hidden bg-base-300 ${gateway ? "xl:grid-cols-4" : "xl:grid-cols-3"}`}
      >
        <SiteFigures {...props} />
      </div>
      {pins.length > 0 && (
        <div class="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
          {pins.map((pin) => (
            <PinnedFigure
              key={`${pin.deviceId} ${pin.key}`}
              pin={pin}
              curve={figures.recent.of(pin)}
              onRemove={mayPin ? () => void setPins(pins.filter((other) => other !== pin)) : undefined}
            />
          ))}
        </div>
      )}
    </section>
  );
}

function SiteFigures(props: { figures: Figures; pulse: SitePulse; isSiteKnown: boolean }) {
  const { figures, pulse } = props;
  const { overview, active, gateway, recent } = figures;
  const newest = pulse.recent(1)[0];
  const ofGateway = (key: string) => (gateway ? recent.of({ deviceId: gateway.deviceId, key }) : undefined);
  /** Returns the rate that the gateway measures once a minute; without it, the rate since the page was opened. */
  const rate = (key: string, meter: SitePulse["messages"]) => {
    const measured = ofGateway(key)?.values.at(-1);
    return formatNumber(
      typeof measured === "number" && measured > 0 ? measured : meter.perSecond(now.value),
      3,
    );
  };
  return (
    <>
      <SiteFigure
        label={t("overview.online")}
        value={
          overview
            ? t("overview.onlineOf", {
                active: formatCount(overview.devices.active),
                total: formatCount(overview.devices.total),
              })
            : NOTHING
        }
        detail={overview ? othersText(overview.devices) : NOTHING}
        href={overview && overview.devices.inactive > 0 ? "/devices?state=inactive" : "/devices"}
        curve={active}
      />
      <SiteFigure
        label={t("overview.messageRate")}
        value={`${rate("messages_per_second", pulse.messages)} /s`}
        detail={t("overview.valueRate", { count: rate("values_per_second", pulse.points) })}
        href={messagesHref(gateway)}
        curve={ofGateway("messages_per_second")}
        placeholder={<RateBars rates={pulse.messages.rates(now.value).slice(0, 59)} />}
      />
      <SiteFigure
        label={t("overview.newest")}
        value={
          <span data-testid="newest">
            <Age ts={newest?.ts} never={NOTHING} />
          </span>
        }
        detail={newest ? nameOf(newest.deviceId) : props.isSiteKnown ? t("overview.newestNone") : NOTHING}
        href={newest ? `/devices/${newest.deviceId}` : "/devices"}
      />
      {gateway && <StorageFigure figures={figures} deviceId={gateway.deviceId} />}
    </>
  );
}

/** Returns the link to the busiest devices, for owners of the gateway. */
function messagesHref(gateway: Figures["gateway"]): string {
  if (may("gateway:manage")) return "/settings/system";
  return gateway ? `/devices/${gateway.deviceId}/data?keys=messages_per_second` : "/explore";
}

/** Returns the text about devices that are not active. */
function othersText({ inactive, neverConnected, maintenance }: Overview["devices"]): string {
  const counts = { INACTIVE: inactive, NEVER_CONNECTED: neverConnected, MAINTENANCE: maintenance };
  return stateCountsText(counts) || t("overview.allOnline");
}

/** Open alarms by severity, if there are several severities. */
export function AlarmFigures({ figures: { overview } }: { figures: Figures }) {
  const counts = overview?.openAlarms;
  const severities = severitiesDescending.filter((severity) => (counts?.[severity] ?? 0) > 0);
  if (severities.length < 2) return null;
  return (
    <p class="flex flex-wrap gap-x-3 gap-y-1 text-sm text-soft">
      {severities.map((severity) => (
        <span key={severity} class="inline-flex items-center gap-1.5">
          <SeverityMark severity={severity} />
          {formatCount(counts?.[severity] ?? 0)} {t(`severity.${severity}`)}
        </span>
      ))}
    </p>
  );
}

/** Days until the disk is full, if it fills up, and its used share. */
function StorageFigure({ figures, deviceId }: { figures: Figures; deviceId: string }) {
  const used = figures.recent.of({ deviceId, key: "disk_used_percent" });
  const days = figures.recent.of({ deviceId, key: "disk_days_left" });
  const usedNow = used.values.at(-1);
  const daysNow = days.lastTs >= used.lastTs ? days.values.at(-1) : undefined; // the gateway sends no such value while the disk is not filling up
  if (typeof usedNow !== "number") return null;
  const percent = `${formatNumber(usedNow, 3)} %`;
  const isFilling = typeof daysNow === "number";
  return (
    <SiteFigure
      label={t("overview.storage")}
      value={isFilling ? plural("overview.days", Math.floor(daysNow)) : percent}
      detail={isFilling ? t("overview.diskFull", { percent }) : t("overview.diskUsed")}
      href={`/devices/${deviceId}/data?keys=disk_used_percent`}
      curve={used}
    />
  );
}

function PinnedFigure(props: { pin: Pin; curve: SeriesBuffer; onRemove: (() => void) | undefined }) {
  const { pin, curve, onRemove } = props;
  const { deviceId, key } = pin;
  const name = keyName(deviceId, key);
  const device = nameOf(deviceId);
  return (
    <PinFigure
      label={name}
      value={formatReading(curve.values.at(-1), metadataOf(deviceId, key))}
      detail={device}
      href={dataHref(deviceId, key)}
      curve={curve}
    >
      {onRemove && (
        <span class="absolute top-1.5 right-1.5 z-1">
          <IconButton
            icon={X}
            size={14}
            class="btn btn-ghost btn-xs"
            label={t("overview.unpin", { name: `${name} · ${device}` })}
            onClick={onRemove}
          />
        </span>
      )}
    </PinFigure>
  );
}

const PinDialog = later(
  () => import("./pin-dialog.tsx"),
  (part) => part.PinDialog,
);

function PinButton({ pins, onPin }: { pins: readonly Pin[]; onPin: (pin: Pin) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={PinIcon} size={14} class="btn btn-ghost btn-sm" onClick={() => setOpen(true)}>
        {t("overview.pin")}
      </Button>
      {isOpen && <PinDialog pins={pins} onPin={onPin} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Bars for each second of the last minute. */
function RateBars({ rates }: { rates: readonly number[] }) {
  const top = Math.max(1, ...rates);
  const width = 100 / rates.length;
  return (
    <svg
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      class="h-9 w-full"
      role="img"
      aria-label={t("overview.rateChart", { top: formatNumber(top) })}
    >
      <path d="M0 23.75H100" stroke="currentColor" stroke-width="0.5" opacity="0.35" />
      {rates.map((rate, i) => {
        const height = (rate / top) * 23;
        return (
          <rect
            key={i}
            x={i * width + width * 0.12}
            y={23.5 - height}
            width={width * 0.76}
            height={height}
            class="fill-primary"
          />
        );
      })}
    </svg>
  );
}
