#!/usr/bin/env bash
# Runs one Apache Kafka broker on localhost:9092 in the foreground, for a try without containers.
# Needs Java 17 and Maven, which fetches Kafka's jars the first time. Usage: deploy/local/kafka.sh [FOLDER]
set -euo pipefail

version=4.1.1
dir=$(realpath -m "${1:-.loopwatch/kafka}")
jars=$dir/jars-$version
mkdir -p "$dir"

if [ ! -d "$jars" ]; then
  cat >"$dir/pom.xml" <<EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>$version</version></dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.24.3</version>
    </dependency>
  </dependencies>
</project>
EOF
  echo "Fetching Apache Kafka $version …" >&2
  mvn --batch-mode --quiet --file "$dir/pom.xml" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$jars.part"
  mv "$jars.part" "$jars"
fi

cat >"$dir/server.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:19093
listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:19093
advertised.listeners=PLAINTEXT://localhost:9092
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$dir/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
EOF

if [ ! -f "$dir/data/meta.properties" ]; then
  java -cp "$jars/*" kafka.tools.StorageTool format \
    --cluster-id "$(java -cp "$jars/*" kafka.tools.StorageTool random-uuid 2>/dev/null)" \
    --config "$dir/server.properties" >/dev/null
fi
echo "Kafka runs on localhost:9092 with its data in $dir; Ctrl+C stops it." >&2
exec java -Xmx512m -cp "$jars/*" kafka.Kafka "$dir/server.properties"
