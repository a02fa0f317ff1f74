import { expect } from 'vitest';
import type { KubernetesObject } from './helm.ts';

export interface Container {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: {
      readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
    };
  }[];
  readonly securityContext: object;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly resources: { readonly requests: object; readonly limits: object };
}

export interface Pod {
  readonly containers: readonly [Container];
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[];
  readonly nodeSelector?: object;
  readonly tolerations?: readonly object[];
  readonly affinity?: object;
  readonly priorityClassName?: string;
}

/** The pod that an object runs. */
export function podOf(object: KubernetesObject): Pod {
  return (object.spec as { template: { spec: Pod } }).template.spec;
}

/** Kinds of objects that keep pods running. */
export const workloads = ['Deployment', 'StatefulSet'];

/** The workload with this name; without one, the only workload. */
export function workload(list: readonly KubernetesObject[], name?: string): KubernetesObject {
  const found = list.filter(
    ({ kind, metadata }) => workloads.includes(kind) && (name === undefined || metadata.name === name),
  );
  return only(found, found[0]?.kind ?? '');
}

/** The only object of a kind, or the one with a name. */
export function only(list: readonly KubernetesObject[], kind: string, name?: string): KubernetesObject {
  const found = list.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  expect(found.map(({ metadata }) => metadata.name)).toHaveLength(1);
  return found[0] as KubernetesObject;
}
