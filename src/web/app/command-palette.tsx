// biome-ignore-all lint/a11y/useSemanticElements: a combobox with its list box has no element of its own in HTML
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the input, as the combobox pattern wants it
import { ArrowRight, Search } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DeviceState } from "../features/alarms/device-state.tsx";
import { demoPlantApi } from "../features/demo-plant/demo-plant-api.ts";
import { useDeviceSearch } from "../features/devices/use-device-search.ts";
import type { DeviceRow } from "../lib/api-types.ts";
import { fuzzyScore } from "../lib/fuzzy.ts";
import { withBase } from "../platform/base.ts";
import { t } from "../platform/i18n/i18n.ts";
import { loadPart } from "../platform/load-part.ts";
import { type Theme, theme } from "../platform/preferences.ts";
import { useResource } from "../platform/resource.ts";
import { may } from "../platform/session.ts";
import { signOut } from "../platform/sign-out.ts";
import { toast } from "../platform/toasts.ts";
import { errorText } from "../ui/page/error-text.ts";
import { settingsPages } from "./settings-pages.ts";

const DEVICES_SHOWN = 8;
const OTHERS_SHOWN = 12;

interface Entry {
  readonly id: string;
  readonly text: string;
  readonly detail: string;
  /** Device that it opens. */
  readonly device?: DeviceRow;
  readonly run: () => void;
}

function useActions(): Entry[] {
  const { route } = useLocation();
  const go = (path: string) => () => route(path);
  const set = (value: Theme) => () => {
    theme.value = value;
  };
  const screen = t("palette.screen");
  const action = t("common.action");
  const entry = (text: string, path: string): [string, string, () => void] => [text, action, go(path)];
  const allowed = (permission: string, text: string, path: string) =>
    may(permission) ? [entry(text, path)] : [];
  const startDemo = () =>
    demoPlantApi.start().then(
      ({ dashboardId }) => route(`/dashboards/${dashboardId}`),
      (error: unknown) => toast("error", errorText(error)),
    );
  const plant = useResource(demoPlantApi.status, []).data;
  const demo: [string, string, () => void] =
    plant?.state === "running"
      ? [t("demo.open"), action, go(`/dashboards/${plant.dashboardId}`)]
      : [t("setup.demo"), action, startDemo];
  const entries: [string, string, () => void][] = [
    [t("nav.overview"), screen, go("/")],
    [t("nav.dashboards"), screen, go("/dashboards")],
    [t("nav.explore"), screen, go("/explore")],
    [t("nav.devices"), screen, go("/devices")],
    [t("nav.pipelines"), screen, go("/pipelines")],
    [t("nav.codecs"), screen, go("/integrations/codecs")],
    [t("nav.integrations"), screen, go("/integrations")],
    [t("nav.scheduler"), screen, go("/scheduler")],
    [t("nav.alarms"), screen, go("/alarms")],
    [t("nav.uplinks"), screen, go("/uplinks")],
    [t("nav.generators"), screen, go("/generators")],
    ...settingsPages().map((page): [string, string, () => void] => [
      t(`page.${page}`),
      screen,
      go(`/settings/${page}`),
    ]),
    ...allowed("integrations:read", t("nav.field"), "/field"),
    ...allowed("mqtt-clients:read", t("nav.mqttClients"), "/mqtt-clients"),
    ...allowed("devices:write", t("devices.create"), "/devices?create=1"),
    ...allowed("devices:write", t("import.title"), "/devices/import"),
    ...(may("devices:write") ? [demo] : []),
    ...allowed("profiles:write", t("profiles.create"), "/settings/profiles/new"),
    ...allowed("dashboards:write", t("dashboards.create"), "/dashboards?create=1"),
    ...allowed("pipelines:write", t("pipelines.create"), "/pipelines?create=1"),
    ...allowed("integrations:write", t("codecs.create"), "/integrations/codecs/new"),
    ...allowed("integrations:write", t("integrations.create"), "/integrations/new"),
    ...allowed("integrations:write", t("palette.createField"), "/field?create=1"),
    ...allowed("scheduler:write", t("jobs.create"), "/scheduler/new"),
    ...allowed("generators:write", t("generators.create"), "/generators/new"),
    ...allowed("users:write", t("users.invite"), "/settings/users?invite=1"),
    ...allowed("api-keys:manage", t("keys.create"), "/settings/api-keys?create=1"),
    [`${t("theme.label")}: ${t("theme.light")}`, action, set("light")],
    [`${t("theme.label")}: ${t("theme.dark")}`, action, set("dark")],
    [`${t("theme.label")}: ${t("theme.system")}`, action, set("system")],
    [t("manual.title"), screen, go("/manual")],
    [t("account.docs"), action, () => window.open(withBase("/docs"), "_blank")],
    [t("account.signOut"), action, signOut],
  ];
  return entries.map(([text, detail, run]) => ({ id: text, text, detail, run }));
}

/** Loads dashboards, alarms, rules and all other objects with pages when the palette is opened. */
function useFound(): Entry[] {
  const { route } = useLocation();
  const found = useResource(
    async () => (await loadPart(() => import("./palette-search.ts"))).loadFound(),
    [],
  );
  return (found.data ?? []).map(({ id, text, detail, path }) => ({
    id,
    text,
    detail,
    run: () => route(path),
  }));
}

function matching(actions: readonly Entry[], text: string): Entry[] {
  const scored = actions.flatMap((entry) => {
    const score = fuzzyScore(text, entry.text);
    return score === undefined ? [] : [{ entry, score }];
  });
  if (text !== "") scored.sort((a, b) => b.score - a.score);
  return scored.map(({ entry }) => entry);
}

/** Returns whether a word of the name starts with the text. */
const hasWord = (name: string, text: string): boolean =>
  ` ${name.toLowerCase()}`.includes(` ${text.trim().toLowerCase()}`);

/**
 * Returns the entries for the text: a device of exactly this name, screens, devices with a matching word in their name, other devices, other objects
 * with pages, actions and help.
 */
function useEntries(text: string): Entry[] {
  const { route } = useLocation();
  const devices = (useDeviceSearch(text, DEVICES_SHOWN) ?? []).map(
    (row): Entry => ({
      id: row.deviceId,
      text: row.name,
      detail: row.label || row.deviceType || "",
      device: row,
      run: () => route(`/devices/${row.deviceId}`),
    }),
  );
  const actions = matching(useActions(), text);
  const screens = actions.filter(
    (entry) => entry.detail === t("palette.screen") && hasWord(entry.text, text),
  );
  const found = matching(useFound(), text).slice(0, OTHERS_SHOWN);
  const help = found.filter(({ id }) => id.startsWith("/manual"));
  const exact = devices.filter((entry) => entry.text.toLowerCase() === text.trim().toLowerCase());
  // The server finds the text within words, too.
  const named = devices.filter((entry) => hasWord(entry.text, text));
  return text === ""
    ? [...actions.slice(0, 3), ...devices]
    : [
        ...new Set([
          ...exact,
          ...screens,
          ...named,
          ...devices,
          ...found.filter((entry) => !help.includes(entry)),
          ...actions,
          ...help,
        ]),
      ];
}

/** Shows the state of a device, or an arrow for everything else. */
const EntryMark = ({ device }: { device: DeviceRow | undefined }) =>
  device ? (
    <span class="flex w-4 flex-none justify-center">
      <DeviceState deviceId={device.deviceId} state={device.state} bare />
    </span>
  ) : (
    <ArrowRight size={16} class="flex-none text-soft" aria-hidden="true" />
  );

/** Finds devices, dashboards, alarms, settings and help from anywhere: Ctrl-K. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [selected, setSelected] = useState(0);
  const entries = useEntries(text);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => setSelected(0), [text]);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    dialog.current?.close();
    entry.run();
  };
  const onKey = (e: KeyboardEvent) => {
    const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setSelected((selected + step + entries.length) % Math.max(1, entries.length));
    else if (e.key === "Enter") run(entries[selected]);
    else return;
    e.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes every modal dialog by itself
    <dialog
      ref={dialog}
      class="modal modal-top"
      aria-label={t("palette.label")}
      onClose={onClose}
      onClick={(e) => e.target === dialog.current && dialog.current?.close()}
    >
      <div class="modal-box panel mx-auto mt-[10dvh] w-[min(36rem,calc(100vw-2rem))] p-0 shadow-2xl">
        <label class="flex items-center gap-3 border-b border-base-300 px-4">
          <Search size={18} class="flex-none text-soft" aria-hidden="true" />
          <input
            class="w-full bg-transparent py-4 outline-none"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={entries[selected] && `palette-${selected}`}
            aria-label={t("palette.label")}
            placeholder={t("palette.placeholder")}
            value={text}
            autofocus
            onInput={(e) => setText(e.currentTarget.value)}
            onKeyDown={onKey}
          />
        </label>
        <div
          id="palette-list"
          role="listbox"
          aria-label={t("palette.label")}
          class="max-h-[50dvh] overflow-y-auto p-2"
        >
          {entries.map((entry, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which keeps the focus
            <div
              key={entry.id}
              id={`palette-${i}`}
              role="option"
              aria-selected={i === selected}
              class="flex cursor-pointer items-center gap-3 rounded-field px-3 py-2.5 aria-selected:bg-base-200"
              onClick={() => run(entry)}
              // A list that opens under a resting pointer must not let it choose.
              onPointerMove={(e) => (e.movementX !== 0 || e.movementY !== 0) && setSelected(i)}
            >
              <EntryMark device={entry.device} />
              <span class="min-w-0 flex-1 truncate">{entry.text}</span>
              <span class="flex-none text-sm text-soft">{entry.detail}</span>
            </div>
          ))}
        </div>
        {entries.length === 0 && <p class="px-5 pb-4 text-soft">{t("palette.none")}</p>}
      </div>
    </dialog>
  );
}
