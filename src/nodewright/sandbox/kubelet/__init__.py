"""The kubelet's part of the stand-in: machines that boot, join as nodes, or say why they do not."""
