import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KubernetesObject } from './helm.ts';

/** A compiled schema: it reads every property that it knows. */
interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/** Where the schemas of an API group are. */
function schemaFile(modules: string, { apiVersion, kind }: KubernetesObject): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const name = (prefix: string): string => `${prefix}${capitalized(version ?? '')}${kind}`;
  switch (group) {
    case 'gateway.networking.k8s.io':
      return join(
        modules,
        '@kubernetes-models/gateway-api/_schemas',
        `${name('IoK8sSigsGatewayApiApis')}.js`,
      );
    case 'keda.sh':
      return join(
        modules,
        '@kubernetes-models/keda/_schemas',
        `${name('ComGithubKedacoreKedaV2ApisKeda')}.js`,
      );
    case 'monitoring.coreos.com': {
      const prefix = 'ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoring';
      return join(modules, '@kubernetes-models/prometheus-operator/_schemas', `${name(prefix)}.js`);
    }
    default: {
      const prefix = `IoK8sApi${capitalized(group?.split('.')[0] ?? '')}`;
      return join(modules, 'kubernetes-models/_schemas', `${name(prefix)}.js`);
    }
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Faults of an object by its schema. The schemas allow unknown fields, so a field that none of them reads is a fault too. */
export async function schemaFaults(modules: string, object: KubernetesObject): Promise<readonly string[]> {
  const { validate } = (await import(pathToFileURL(schemaFile(modules, object)).href)) as {
    validate: Validator;
  };
  const { tracked, unread } = trackReads(object);
  const isValid = validate(tracked);
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath} ${message}`,
  );
  return isValid ? unread().map((path) => `${path} is unknown`) : faults;
}

/** A view of a value that notes which of its properties are read. */
function trackReads(value: object): { readonly tracked: object; readonly unread: () => readonly string[] } {
  const views = new Map<object, { readonly view: object; readonly read: Set<PropertyKey> }>();
  function viewOf(inner: unknown): unknown {
    if (typeof inner !== 'object' || inner === null) return inner;
    const known = views.get(inner);
    if (known !== undefined) return known.view;
    const read = new Set<PropertyKey>();
    const view = new Proxy(inner, {
      get(target, key) {
        read.add(key);
        return viewOf(Reflect.get(target, key));
      },
    });
    views.set(inner, { view, read });
    return view;
  }
  function unreadIn(inner: unknown, path: string): readonly string[] {
    if (typeof inner !== 'object' || inner === null) return [];
    return Object.entries(inner).flatMap(([key, next]) =>
      views.get(inner)?.read.has(key) === true ? unreadIn(next, `${path}/${key}`) : [`${path}/${key}`],
    );
  }
  return { tracked: viewOf(value) as object, unread: () => unreadIn(value, '') };
}
