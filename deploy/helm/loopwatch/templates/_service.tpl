{{- define "loopwatch.service" -}}
{{- $service := (get .root.Values .component).service -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "loopwatch.fullname" .root }}-{{ .component }}
  labels:
    {{- include "loopwatch.labels" . | nindent 4 }}
  {{- with $service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ $service.type }}
  selector:
    {{- include "loopwatch.selector" . | nindent 4 }}
  ports:
    - name: http
      port: {{ include "loopwatch.port" . }}
      targetPort: http
    {{- with include "loopwatch.grpcPort" . }}
    - name: otlp-grpc
      port: {{ . }}
      targetPort: otlp-grpc
      # Without TLS.
      appProtocol: kubernetes.io/h2c
    {{- end }}
{{- end -}}

{{- /* The host name of config.server.public_url, which the server needs to be reached from outside; empty for the gateway. */ -}}
{{- define "loopwatch.publicHost" -}}
{{- if eq .component "server" -}}
{{- $publicUrl := dig "server" "public_url" "" .root.Values.config -}}
{{- if not $publicUrl -}}
{{- fail (printf "config.server.public_url: set the URL at which users open the dashboard, as server.%s is enabled" .by) -}}
{{- end -}}
{{- (urlParse $publicUrl).hostname -}}
{{- end -}}
{{- end -}}

{{- define "loopwatch.ingress" -}}
{{- $name := printf "%s-%s" (include "loopwatch.fullname" .root) .component -}}
{{- $ingress := (get .root.Values .component).ingress -}}
{{- $default := include "loopwatch.publicHost" (dict "root" .root "component" .component "by" "ingress") -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ $name }}
  labels:
    {{- include "loopwatch.labels" . | nindent 4 }}
  {{- with $ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- $host := required (printf "%s.ingress.host: set the host name" .component) (default $default $ingress.host) }}
  {{- with $ingress.tlsSecret }}
  tls:
    - secretName: {{ . }}
      hosts: [{{ $host }}]
  {{- end }}
  rules:
    - host: {{ $host }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ $name }}
                port: { name: http }
{{- end -}}

{{- define "loopwatch.httpRoute" -}}
{{- $name := printf "%s-%s" (include "loopwatch.fullname" .root) .component -}}
{{- $route := (get .root.Values .component).httpRoute -}}
{{- $default := include "loopwatch.publicHost" (dict "root" .root "component" .component "by" "httpRoute") -}}
{{- if not $route.parentRefs -}}
{{- fail (printf "%s.httpRoute.parentRefs: name the Gateway, as in [{ name: my-gateway, namespace: my-namespace }]" .component) -}}
{{- end -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {{ $name }}
  labels:
    {{- include "loopwatch.labels" . | nindent 4 }}
  {{- with $route.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml $route.parentRefs | nindent 4 }}
  {{- with default (compact (list $default)) $route.hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - backendRefs:
        - name: {{ $name }}
          port: {{ include "loopwatch.port" . }}
      {{- with $route.timeouts }}
      timeouts:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
