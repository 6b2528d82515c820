import {
  Activity,
  BellRing,
  Cable,
  CalendarClock,
  ChartLine,
  CloudUpload,
  Cpu,
  Gauge,
  LayoutDashboard,
  type LucideIcon,
  Menu,
  Network,
  Radio,
  Settings,
  TriangleAlert,
  Workflow,
} from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { openAlarms } from "../features/alarms/open-alarm-store.ts";
import { formatCount } from "../platform/i18n/format.ts";
import { type MessageKey, t } from "../platform/i18n/i18n.ts";
import { may } from "../platform/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { severityClass } from "../ui/state/severity-colors.ts";

type NavText = Extract<MessageKey, `nav.${string}`>;

interface Item {
  readonly path: string;
  /** Further addresses of its screens. */
  readonly others?: readonly string[];
  readonly text: NavText;
  readonly Icon: LucideIcon;
  /** Required permission. */
  readonly needs?: string;
}

const overview: Item = { path: "/", text: "nav.overview", Icon: Gauge };
const dashboards: Item = { path: "/dashboards", text: "nav.dashboards", Icon: LayoutDashboard };
const explore: Item = { path: "/explore", text: "nav.explore", Icon: ChartLine };
const devices: Item = { path: "/devices", text: "nav.devices", Icon: Cpu };
const alarms: Item = { path: "/alarms", text: "nav.alarms", Icon: BellRing };
const settings: Item = { path: "/settings", text: "nav.settings", Icon: Settings };

const GROUPS: ReadonlyArray<{ readonly text: NavText; readonly items: readonly Item[] }> = [
  {
    text: "nav.group.watch",
    items: [
      overview,
      dashboards,
      explore,
      devices,
      alarms,
      { path: "/faults", text: "nav.faults", Icon: TriangleAlert },
    ],
  },
  {
    text: "nav.group.automate",
    items: [
      { path: "/pipelines", text: "nav.pipelines", Icon: Workflow },
      { path: "/scheduler", text: "nav.scheduler", Icon: CalendarClock },
      { path: "/generators", text: "nav.generators", Icon: Activity },
    ],
  },
  {
    text: "nav.group.connect",
    items: [
      { path: "/integrations", text: "nav.integrations", Icon: Cable },
      {
        path: "/field",
        others: ["/modbus", "/s7", "/bacnet", "/opcua"],
        text: "nav.field",
        Icon: Network,
        needs: "integrations:read",
      },
      { path: "/mqtt-clients", text: "nav.mqttClients", Icon: Radio, needs: "mqtt-clients:read" },
      { path: "/uplinks", text: "nav.uplinks", Icon: CloudUpload },
    ],
  },
  { text: "nav.group.manage", items: [settings] },
];
/** Screens on a phone. The rest is behind "More". */
const ON_PHONE: readonly Item[] = [overview, dashboards, devices, alarms];

const isAllowed = ({ needs }: Item): boolean => needs === undefined || may(needs);

const isCurrent = ({ path, others = [] }: Pick<Item, "path" | "others">, current: string): boolean =>
  [path, ...others].some((start) => current === start || (start !== "/" && current.startsWith(`${start}/`)));

const RAIL_ITEM =
  "flex items-center gap-3 rounded-field px-3 py-1.5 font-medium text-soft hover:bg-base-200 hover:text-base-content aria-[current=page]:bg-base-200 aria-[current=page]:text-base-content aria-[current=page]:shadow-[inset_3px_0_0_var(--color-primary)]";
const BAR_ITEM =
  "relative flex min-w-0 flex-1 cursor-pointer flex-col items-center gap-0.5 border-t-2 border-transparent py-2 text-xs font-medium text-soft aria-[current=page]:border-primary aria-[current=page]:text-base-content";

function NavLink({ isInBar = false, ...item }: Omit<Item, "needs"> & { isInBar?: boolean }) {
  const { path, text, Icon } = item;
  const { path: current } = useLocation();
  return (
    <a
      href={path}
      class={isInBar ? BAR_ITEM : RAIL_ITEM}
      aria-current={isCurrent(item, current) ? "page" : undefined}
    >
      <Icon size={18} class="flex-none" aria-hidden="true" />
      <span class="max-w-full truncate">{t(text)}</span>
      {path === "/alarms" && (
        <AlarmBadge className={isInBar ? "absolute top-0.5 left-1/2 ml-1.5" : "ml-auto"} />
      )}
    </a>
  );
}

const BADGE_MAX = 99;

/** Number of unacknowledged alarms, in the color of the most severe open one. */
function AlarmBadge({ className }: { className: string }) {
  const { unacknowledged = 0, worst } = openAlarms.value ?? {};
  if (unacknowledged === 0) return null;
  const count = formatCount(unacknowledged);
  return (
    <span
      class={`badge badge-sm reading ${className} ${worst ? severityClass(worst, "badge") : "badge-neutral"}`}
      title={t("alarms.waiting", { count })}
    >
      <span aria-hidden="true">{unacknowledged > BADGE_MAX ? `${BADGE_MAX}+` : count}</span>
      <span class="sr-only">{t("alarms.waiting", { count })}</span>
    </span>
  );
}

function Groups() {
  return GROUPS.map(({ text, items }) => (
    <section key={text} class="flex flex-col gap-0.5" aria-label={t(text)}>
      <p class="panel-label px-3 pt-2 pb-1" aria-hidden="true">
        {t(text)}
      </p>
      {items.filter(isAllowed).map((item) => (
        <NavLink key={item.path} {...item} />
      ))}
    </section>
  ));
}

/** The screens in groups, beside the content. */
export function NavRail() {
  return (
    <nav class="flex flex-1 flex-col gap-1 overflow-y-auto px-3" aria-label={t("nav.label")}>
      <Groups />
    </nav>
  );
}

/** The most used screens at the bottom of a phone, and all of them behind "More". */
export function NavBar() {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const isElsewhere = !ON_PHONE.some((item) => isCurrent(item, path));
  return (
    <nav class="flex border-t border-base-300 bg-base-100 lg:hidden print:hidden" aria-label={t("nav.label")}>
      {ON_PHONE.map((item) => (
        <NavLink key={item.path} {...item} isInBar />
      ))}
      <button
        type="button"
        class={BAR_ITEM}
        aria-current={isElsewhere ? "page" : undefined}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Menu size={18} aria-hidden="true" />
        {t("nav.more")}
      </button>
      {isOpen && (
        <Dialog title={t("nav.label")} onClose={() => setOpen(false)}>
          <div class="flex flex-col gap-1">
            <Groups />
          </div>
        </Dialog>
      )}
    </nav>
  );
}
