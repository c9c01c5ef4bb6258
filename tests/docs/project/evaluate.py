"""Says how the model computes."""

from tensorflow.keras.mixed_precision import experimental as prec


def describe():
    """Returns the policy, and whether it scales losses."""
    policy = prec.global_policy()
    return f"policy {policy.name}, {policy.loss_scale}"
