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
{{- end -}}

{{- define "loopwatch.ingress" -}}
{{- $name := printf "%s-%s" (include "loopwatch.fullname" .root) .component -}}
{{- $ingress := (get .root.Values .component).ingress -}}
{{- $publicUrl := dig "server" "public_url" "" .root.Values.config -}}
{{- if and (eq .component "server") (not $publicUrl) -}}
{{- fail "config.server.public_url: set the URL at which users open the dashboard, as server.ingress is enabled" -}}
{{- end -}}
{{- $default := "" -}}
{{- if eq .component "server" -}}
{{- $default = (urlParse $publicUrl).hostname -}}
{{- end -}}
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
