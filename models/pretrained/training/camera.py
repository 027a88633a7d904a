"""A camera: what lies between a scene and the picture of it.

Every scene gets the mild treatment of a good webcam. Harsh ones get what a model meets when
somebody holds a phone or a sheet of paper up to a bad one: moire, glare, low light, motion.
"""
import math

import torch
import torch.nn.functional as F


class Camera:
    """Takes pictures (count, 3, height, width), the share of a screen in every pixel
    (count, 1, height, width), and how harsh each is to be (count), 0 or 1."""

    def __init__(self, width, height, device):
        self.device, self.width, self.height = device, width, height
        y, x = torch.meshgrid(torch.arange(height, device=device) + 0.5,
                              torch.arange(width, device=device) + 0.5, indexing="ij")
        self.x, self.y = x[None, None], y[None, None]           # (1, 1, height, width), pixels
        self.at = torch.stack([2 * x / width - 1, 2 * y / height - 1], -1)[None]
        k = torch.arange(8.0)
        cosines = torch.cos((2 * k[None] + 1) * k[:, None] * math.pi / 16) / 2
        cosines[0] /= math.sqrt(2)
        self.cosines = cosines.to(device)
        coarser = 1 + 1.2 * (k[:, None] + k[None])
        self.steps = torch.stack([0.7 * coarser, 1.3 * coarser, 1.3 * coarser]).to(device) / 255
        ycc = torch.tensor([[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5],
                            [0.5, -0.4187, -0.0813]])
        self.to_ycc, self.to_rgb = ycc.to(device), torch.linalg.inv(ycc).to(device)

    def __call__(self, picture, screen, harsh):
        harsh = harsh.view(-1, 1, 1, 1)
        picture = self.moire(picture, screen, harsh)
        picture = self.light(picture, harsh)
        picture = self.exposure(picture, harsh)
        picture = self.motion(self.defocus(picture, harsh), harsh)
        picture = self.noise(picture, harsh)
        return self.jpeg(picture.clamp(0, 1), harsh).clamp(0, 1)

    def number(self, like, low=0.0, high=1.0, channels=1):
        """One random number a picture (or one a channel)."""
        return torch.rand(like.shape[0], channels, 1, 1, device=self.device) * (high - low) + low

    def normal(self, like, channels=1):
        return torch.randn(like.shape[0], channels, 1, 1, device=self.device)

    def moire(self, x, screen, harsh):
        """Two gratings, a screen's and a sensor's, beat in colours that are a little out of step.
        Some harsh pictures are of a screen altogether."""
        screen = torch.maximum(screen, harsh * (self.number(x) < 0.2))
        waves = 0
        for _ in range(2):
            length = 4 * 10 ** self.number(x)               # 4 to 40 pixels
            angle = self.number(x, high=math.pi)
            phase = self.number(x, high=2 * math.pi) + self.number(x, high=1.5, channels=3)
            along = self.x * angle.cos() + self.y * angle.sin()
            waves = waves + torch.sin(2 * math.pi * along / length + phase)
        strength = self.number(x) * (0.04 + 0.1 * harsh)
        return x * (1 + screen * strength * waves)

    def light(self, x, harsh):
        """Falls off to one side; a lamp may be mirrored in what is shown."""
        angle = self.number(x, high=2 * math.pi)
        side = ((self.x / self.width - 0.5) * angle.cos()
                + (self.y / self.height - 0.5) * angle.sin())
        x = x * (1 + side * self.normal(x) * (0.25 + 0.25 * harsh))
        dx = (self.x - self.number(x, high=self.width)) / self.number(x, 15, 90)
        dy = (self.y - self.number(x, high=self.height)) / self.number(x, 15, 90)
        turn = self.number(x, high=math.pi)
        lamp = torch.exp(-(dx * turn.cos() + dy * turn.sin()) ** 2
                         - (dy * turn.cos() - dx * turn.sin()) ** 2)
        lamp = lamp * harsh * (self.number(x) < 0.4) * self.number(x, 0.2, 0.9)
        return x + (1 - x) * lamp

    def exposure(self, x, harsh):
        """White balance, contrast, saturation and tone; in the dark there is little of each."""
        more = 1 + 0.5 * harsh
        x = x * (1 + self.normal(x, channels=3) * 0.08 * more)
        x = (x - 0.5) * torch.exp(self.normal(x) * 0.2 * more) + 0.5 + self.normal(x) * 0.08
        grey = x.mean(1, keepdim=True)
        x = grey + (x - grey) * self.number(x, 0.5, 1.4)
        x = x.clamp(1e-3, 1) ** torch.exp(self.normal(x) * 0.25 * more)
        dark = harsh * (self.number(x) < 0.3)
        return x * (1 - dark * self.number(x, 0.3, 0.7))

    def defocus(self, x, harsh):
        half = F.interpolate(F.avg_pool2d(x, 2), size=(self.height, self.width), mode="bilinear",
                             align_corners=False)
        soft = F.avg_pool2d(F.pad(half, (3, 3, 3, 3), mode="replicate"), 7, 1)
        kind = self.number(x)
        slight, much = 0.3, 0.4 + 0.2 * harsh
        out = torch.where(kind < slight, x + (half - x) * self.number(x), x)
        return torch.where((kind >= slight) & (kind < much),
                           half + (soft - half) * self.number(x, high=0.7), out)

    def motion(self, x, harsh, taps=7):
        """Smears along a line of up to 7 pixels, in harsh pictures 14."""
        moved = self.number(x) < 0.1 + 0.25 * harsh
        length = moved * self.number(x, 2, 7) * (1 + harsh)
        angle = self.number(x, high=math.pi)
        step = torch.cat([length * angle.cos() * 2 / self.width,
                          length * angle.sin() * 2 / self.height], 1).view(-1, 1, 1, 2)
        total = 0
        for tap in range(taps):
            total = total + F.grid_sample(x, self.at + step * (tap / (taps - 1) - 0.5),
                                          mode="bilinear", padding_mode="border",
                                          align_corners=False)
        return total / taps

    def noise(self, x, harsh):
        """Fine noise on every pixel, and coarser blotches as denoising leaves them."""
        strength = self.number(x) ** 2 * (0.08 + 0.04 * harsh)
        coarse = torch.randn(x.shape[0], 3, self.height // 2, self.width // 2, device=self.device)
        coarse = F.interpolate(coarse, size=(self.height, self.width), mode="bilinear",
                               align_corners=False)
        return x + strength * (torch.randn_like(x) + 0.7 * harsh * coarse)

    def jpeg(self, x, harsh):
        """Rounds the coefficients of 8x8 blocks as JPEG does, for half of all pictures."""
        count, d = x.shape[0], self.cosines
        loss = 1 + (9 + 8 * harsh) * self.number(x) ** 2
        planes = torch.einsum("ij,bjhw->bihw", self.to_ycc, x - 0.5)
        planes = F.pad(planes, (0, -self.width % 8, 0, -self.height % 8), mode="replicate")
        blocks = planes.view(count, 3, planes.shape[2] // 8, 8, planes.shape[3] // 8, 8)
        waves = torch.einsum("ij,bchjwk,lk->bchiwl", d, blocks, d)
        step = self.steps.view(1, 3, 1, 8, 1, 8) * loss.view(count, 1, 1, 1, 1, 1)
        waves = (waves / step).round() * step
        planes = torch.einsum("ji,bchjwk,kl->bchiwl", d, waves, d).reshape(planes.shape)
        planes = planes[:, :, :self.height, :self.width]
        lossy = torch.einsum("ij,bjhw->bihw", self.to_rgb, planes) + 0.5
        return torch.where(self.number(x) < 0.5 + 0.3 * harsh, lossy, x)
