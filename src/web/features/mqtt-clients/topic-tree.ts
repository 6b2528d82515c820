import type { MqttTopic } from "./mqtt-clients-api.ts";

/** A level of the topics, with the newest message if there was one on just this topic. */
export interface TopicNode {
  readonly name: string;
  /** The whole topic up to this level. */
  readonly path: string;
  readonly message: MqttTopic | undefined;
  readonly children: readonly TopicNode[];
  /** Topics with messages below. */
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

/** Arranges topics, which are sorted, by their levels. */
export function topicTree(topics: readonly MqttTopic[]): readonly TopicNode[] {
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
