"""What others see of the controllers: a metric, a log line, each rendered from the decision itself."""
