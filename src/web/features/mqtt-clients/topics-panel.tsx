import { Radio } from "lucide-preact";
import { useState } from "preact/hooks";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { formatCount } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Age } from "../../ui/state/age.tsx";
import { type MqttTopic, mqttClientsApi } from "./mqtt-clients-api.ts";

/** Level of the topics, with the newest message on exactly this topic, if any. */
interface TopicNode {
  readonly name: string;
  /** Whole topic up to this level. */
  readonly path: string;
  readonly message: MqttTopic | undefined;
  readonly children: readonly TopicNode[];
  /** Number of topics with messages below. */
  readonly topics: number;
}

interface Building {
  readonly name: string;
  readonly path: string;
  message: MqttTopic | undefined;
  readonly children: Map<string, Building>;
}

const finish = ({ children, ...node }: Building): TopicNode => {
  const finished = [...children.values()].map(finish);
  const below = finished.reduce((sum, { topics, message }) => sum + topics + (message ? 1 : 0), 0);
  return { ...node, children: finished, topics: below };
};

/** Arranges sorted topics by level. */
function topicTree(topics: readonly MqttTopic[]): readonly TopicNode[] {
  const root: Building = { name: "", path: "", message: undefined, children: new Map() };
  for (const message of topics) {
    let node = root;
    const levels = message.topic.split("/");
    for (const [depth, name] of levels.entries()) {
      const path = levels.slice(0, depth + 1).join("/");
      const child = node.children.get(name) ?? { name, path, message: undefined, children: new Map() };
      node.children.set(name, child);
      node = child;
    }
    node.message = message;
  }
  return finish(root).children;
}

const REFRESH_MS = 1_000;
/** Max. topics of a tree that is initially expanded. */
const OPEN_MAX = 30;

/** Topic browser: newest message on each topic, refreshed, and a form for publishing. */
export function TopicsPanel() {
  const [prefix, setPrefix] = useState("");
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const list = useKept(() => mqttClientsApi.topics(prefix), [prefix]);
  useRefresh(list.reload, REFRESH_MS);
  return (
    <>
      <div class="flex flex-wrap items-center gap-3">
        <SearchBox label={t("mqttClients.prefix")} value={prefix} onSearch={setPrefix} />
        {list.data && (
          <span class="text-sm text-soft">
            {list.data.total > list.data.topics.length
              ? t("mqttClients.first", {
                  count: formatCount(list.data.topics.length),
                  total: formatCount(list.data.total),
                })
              : plural("mqttClients.topics", list.data.total)}
          </span>
        )}
      </div>
      <div class="grid gap-4 lg:grid-cols-[3fr_2fr]">
        <div class="min-w-0">
          <Loaded of={list}>
            {({ total, topics }) =>
              total === 0 ? (
                <EmptyPanel
                  icon={Radio}
                  title={t("common.noMessagesYet")}
                  hint={t("mqttClients.noTopicsHint")}
                />
              ) : (
                <ul class="panel p-2" aria-label={t("mqttClients.tabTopics")} data-testid="topics">
                  {topicTree(topics).map((node) => (
                    <Branch
                      key={node.path}
                      node={node}
                      isOpen={topics.length <= OPEN_MAX}
                      selected={selected}
                      onSelect={setSelected}
                    />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </div>
        <div class="flex min-w-0 flex-col gap-4">
          <Newest message={list.data?.topics.find(({ topic }) => topic === selected)} />
          <PublishForm key={selected} topic={selected ?? ""} onPublished={list.reload} />
        </div>
      </div>
    </>
  );
}

interface BranchProps {
  readonly node: TopicNode;
  readonly isOpen: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (topic: string) => void;
}

function Branch({ node, isOpen, selected, onSelect }: BranchProps) {
  const { message, children, name, topics } = node;
  const leaf = message && <Leaf name={name} message={message} selected={selected} onSelect={onSelect} />;
  if (children.length === 0) return <li>{leaf}</li>;
  return (
    <li>
      {leaf}
      <details open={isOpen}>
        <summary class="cursor-pointer rounded-field px-2 py-1 hover:bg-base-200">
          <span class="reading">{name === "" ? "/" : name}</span>
          <span class="ml-2 text-sm text-soft">{formatCount(topics)}</span>
        </summary>
        <ul class="ml-4 border-l border-base-300 pl-2">
          {children.map((child) => (
            <Branch key={child.path} node={child} isOpen={isOpen} selected={selected} onSelect={onSelect} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Leaf(props: {
  name: string;
  message: MqttTopic;
  selected: string | undefined;
  onSelect: (topic: string) => void;
}) {
  const { message } = props;
  return (
    <button
      type="button"
      class="flex w-full cursor-pointer items-baseline gap-3 rounded-field px-2 py-1 text-left hover:bg-base-200 aria-pressed:bg-base-200"
      aria-pressed={message.topic === props.selected}
      onClick={() => props.onSelect(message.topic)}
    >
      <span class="reading flex-none">{props.name === "" ? "/" : props.name}</span>
      <span class="reading min-w-0 flex-1 truncate text-soft">{message.payload}</span>
      <span class="flex-none text-sm text-soft">{rateText(message)}</span>
    </button>
  );
}

const rateText = ({ perSecond }: MqttTopic): string =>
  perSecond < 0.05 ? "" : t("mqttClients.perSecond", { rate: formatCount(Math.round(perSecond * 10) / 10) });

function Newest({ message }: { message: MqttTopic | undefined }) {
  if (message === undefined) return null;
  const { topic, payload, bytes, receivedAt, retained, qos, messages, encoding } = message;
  return (
    <Section id="newest" title={t("mqttClients.newest")}>
      <p class="reading break-all">{topic}</p>
      <pre
        class="reading max-h-80 overflow-auto rounded-field bg-base-200 p-3 text-sm break-all whitespace-pre-wrap"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
        tabIndex={0}
      >
        {encoding === "text" ? indented(payload) : payload}
      </pre>
      <p class="text-sm text-soft">
        <Age ts={Date.parse(receivedAt)} /> · QoS {qos} ·{" "}
        {t("mqttClients.bytes", { bytes: formatCount(bytes) })} · {plural("mqttClients.messages", messages)}
        {retained && <> · {t("mqttClients.retained")}</>}
        {encoding === "base64" && <> · base64</>}
      </p>
    </Section>
  );
}

/** Formats JSON with line breaks; other text unchanged. */
function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function PublishForm({ topic, onPublished }: { topic: string; onPublished: () => void }) {
  const action = useAction(["topic", "payload"]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const target = String(data.get("topic")).trim();
    action.run(async () => {
      await mqttClientsApi.publish({
        topic: target,
        payload: String(data.get("payload") ?? ""),
        qos: 1,
        retain: data.get("retain") !== null,
      });
      toast("success", t("mqttClients.published", { topic: target }));
      onPublished();
    });
  };
  return (
    <Section id="publish" title={t("mqttClients.publishTitle")}>
      <form class="flex flex-col gap-3" onSubmit={submit} data-testid="publish">
        <TextField
          label={t("common.topic")}
          error={action.errorOf("topic")}
          name="topic"
          required
          maxLength={maxLengthOf("mqtt-clients/mqtt-clients.schemas.ts", "publishBody", "topic")}
          defaultValue={topic}
        />
        <TextAreaField
          label={t("common.message")}
          error={action.errorOf("payload")}
          name="payload"
          rows={3}
          maxLength={maxLengthOf("mqtt-clients/mqtt-clients.schemas.ts", "publishBody", "payload")}
        />
        <Checkbox name="retain" hint={t("mqttClients.retainHint")}>
          {t("mqttClients.retain")}
        </Checkbox>
        <ErrorNote error={action.error} />
        <div class="flex justify-end">
          <SubmitButton busy={action.busy}>{t("mqttClients.send")}</SubmitButton>
        </div>
      </form>
    </Section>
  );
}
