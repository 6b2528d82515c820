import { Activity, LineChart } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink, DeleteButton, EditLink } from "../../ui/page/row-buttons.tsx";
import { StartPauseButton } from "../../ui/start-pause-button.tsx";
import { Age } from "../../ui/state/age.tsx";
import { EditGeneratorPage, GeneratorFormPage } from "./generator-form-page.tsx";
import { type Generator, generatorsApi } from "./generators-api.ts";

const REFRESH_MS = 5_000;
const KEYS_SHOWN = 6;
const DEVICES_SHOWN = 3;

/** Screen with the list of telemetry generators, or the form of one generator. */
export function GeneratorsScreen() {
  const { generatorId } = useRoute().params;
  return (
    <Page>
      {generatorId === "new" && <GeneratorFormPage />}
      {generatorId && generatorId !== "new" && (
        <EditGeneratorPage key={generatorId} generatorId={generatorId} />
      )}
      {!generatorId && <GeneratorList />}
    </Page>
  );
}

function GeneratorList() {
  const search = useLocation().query.search ?? "";
  const list = useKept(() => generatorsApi.list(search), [search]);
  useRefresh(list.reload, REFRESH_MS);
  return (
    <ResourceList
      title={t("nav.generators")}
      intro={t("generators.intro")}
      list={list}
      search={search}
      searchLabel={t("generators.search")}
      countText={(total) => plural("generators.count", total)}
      icon={Activity}
      none={[t("generators.none"), t("generators.noneHint")]}
      noMatch={[t("generators.noMatch"), t("common.tryFewerLetters")]}
      create={
        may("generators:write") && <CreateLink href="/generators/new">{t("generators.create")}</CreateLink>
      }
    >
      {(generator) => <Row key={generator.id} generator={generator} onChanged={list.reload} />}
    </ResourceList>
  );
}

interface RowProps {
  readonly generator: Generator;
  readonly onChanged: () => void;
}

function Row({ generator, onChanged }: RowProps) {
  const { name, description, status, lastErrorText, lastReadingAt } = generator;
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
        {lastErrorText !== null && (
          <p class="text-sm text-warning wrap-anywhere">{serverText(lastErrorText)}</p>
        )}
      </div>
      {may("generators:write") && generator.hiddenDevices === 0 && (
        <Buttons generator={generator} onChanged={onChanged} />
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

/** Devices of the generator, with links to their live charts. */
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

function Buttons({ generator, onChanged }: RowProps) {
  const { id, name, status } = generator;
  const isActive = status === "active";
  const label = t(isActive ? "common.pauseName" : "common.startName", { name });
  return (
    <div class="flex gap-1">
      <StartPauseButton
        isActive={isActive}
        text={label}
        iconLabel={label}
        onPress={async () => {
          await (isActive ? generatorsApi.pause(id) : generatorsApi.start(id));
          return undefined;
        }}
        onChanged={onChanged}
      />
      <EditLink href={`/generators/${id}`} label={t("common.editName", { name })} />
      <DeleteButton
        label={t("common.deleteName", { name })}
        onClick={() =>
          confirmDelete({
            name,
            title: t("generators.deleteTitle"),
            warning: t("generators.deleteWarning", { name }),
            onDelete: () => generatorsApi.delete(id),
            onDeleted: onChanged,
          })
        }
      />
    </div>
  );
}
